"""Advisors by the name that commands and files give them."""

from __future__ import annotations

from vnla.language.advisor import GrammarAdvisor
from vnla.language.speaker.advisor import SpeakerAdvisor
from vnla.roles.advisor import Advisor, TemplateAdvisor

ADVISORS: dict[str, type[Advisor]] = {"template": TemplateAdvisor, "grammar": GrammarAdvisor, "speaker": SpeakerAdvisor}
"""A person is none of these: `vnla serve` and `vnla watch --ask` put one into their place."""
