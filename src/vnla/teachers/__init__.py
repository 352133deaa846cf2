"""The teachers of section 6.2: navigation and help-requesting."""
