"""Advisors by name: ours, a class of anybody's, and what a package offers are made the same way."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from vnla.assistance.advisor import TemplateAdvisor
from vnla.common.errors import InputError
from vnla.language.advisor import GrammarAdvisor
from vnla.language.registry import advisor_named

ROOT = Path(__file__).parents[2]
WARMER = "examples.advisor:Warmer"


@pytest.fixture(autouse=True)
def at_the_root(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the examples are, as the documentation has it."""
    monkeypatch.syspath_prepend(str(ROOT))


@pytest.fixture
def offered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The short name under which an installed package offers one."""
    described = tmp_path / "advisors_of_a_test-1.0.dist-info"
    described.mkdir()
    (described / "METADATA").write_text("Metadata-Version: 2.1\nName: advisors-of-a-test\nVersion: 1.0\n")
    (described / "entry_points.txt").write_text(f"[vnla.advisors]\nwarmer = {WARMER}\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    return "warmer"


def test_all_of_them_are_told_their_role() -> None:
    assert advisor_named("template", k=3, direct=True, speaks=False) == TemplateAdvisor(3, direct=True, speaks=False)
    spoken = advisor_named("grammar", {"says": "synonyms"}, k=2, direct=False, speaks=True)
    assert spoken == GrammarAdvisor(2, says="synonyms")
    assert advisor_named("template") == TemplateAdvisor()


def test_one_of_ones_own_needs_no_fields_for_what_it_is(offered: str) -> None:
    """The example has k, and is neither direct nor silent."""
    for name in (WARMER, offered):
        made: Any = advisor_named(name, {"near": 3.0}, k=4, direct=False, speaks=True)
        assert (type(made).__name__, made.k, made.near, made.direct, made.speaks) == ("Warmer", 4, 3.0, False, True)
        assert advisor_named(name).k == 2


@pytest.mark.parametrize(
    ("role", "complaint"),
    [
        ({"direct": True}, "has no field direct, and its own is False; it cannot be True"),
        ({"speaks": False}, "has no field speaks, and its own is True; it cannot be False"),
    ],
)
def test_what_it_cannot_be_is_refused(role: dict[str, bool], complaint: str) -> None:
    with pytest.raises(InputError, match=f"^advisor {WARMER}: {complaint}$"):
        advisor_named(WARMER, **role)


@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        ("nobody", "advisor nobody: unknown; choose from template, grammar, speaker, person, dialogue, warmer, or name"),
        ("examples.advisor:SAYS", "is not a class made from vnla.assistance.advisor.Advisor"),
        ("examples.advisor:WarmerVoice", "is not a class made from vnla.assistance.advisor.Advisor"),
        (WARMER, "has no option colour; its options are near, far"),
    ],
)
@pytest.mark.usefixtures("offered")
def test_names_and_options_that_are_wrong(name: str, complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        advisor_named(name, {"colour": "red"}, k=2, direct=False, speaks=True)
