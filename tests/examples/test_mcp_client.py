"""The example of an MCP client prints the session that docs/mcp.md shows."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
SHOWN = re.compile(
    r"^```\nprintf '%s\\n' (.*) \| python (examples/mcp_client\.py)\n```\n\n```text\n(.*?)```$", re.DOTALL | re.MULTILINE
)


def test_the_session_that_the_page_shows_is_what_is_printed(tmp_path: Path) -> None:
    (found,) = SHOWN.findall((ROOT / "docs" / "mcp.md").read_text(encoding="utf-8"))
    calls, program, printed = found
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "OMP_NUM_THREADS": "1"}
    answer = subprocess.run(
        [sys.executable, ROOT / program], input="\n".join(shlex.split(calls)) + "\n", cwd=tmp_path, env=environment,
        capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert (answer.returncode, answer.stdout) == (0, printed), answer.stderr
