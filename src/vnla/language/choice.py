"""Advisors by the name that commands and files give them."""

from __future__ import annotations

from vnla.language.advisor import GrammarAdvisor
from vnla.language.person import PersonAdvisor
from vnla.language.speaker.advisor import SpeakerAdvisor
from vnla.roles.advisor import Advisor, TemplateAdvisor

ADVISORS: dict[str, type[Advisor]] = {
    "template": TemplateAdvisor,
    "grammar": GrammarAdvisor,
    "speaker": SpeakerAdvisor,
    "person": PersonAdvisor,
}
"""A person says where they speak: `vnla serve` and `vnla watch --ask` put one into the place of a run's own."""
