"""The agent of section 6.1: a navigation module and a help-requesting module."""
