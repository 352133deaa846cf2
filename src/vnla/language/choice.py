"""Advisors by the name that commands and files give them."""

from __future__ import annotations

from vnla.language.advisor import GrammarAdvisor
from vnla.roles.advisor import Advisor, TemplateAdvisor

ADVISORS: dict[str, type[Advisor]] = {"template": TemplateAdvisor, "grammar": GrammarAdvisor}
