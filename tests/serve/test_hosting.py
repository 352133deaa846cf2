"""What a server on the internet is made of: the routes there are and no others, and the files of docs/hosting."""

from __future__ import annotations

import configparser
import json
import re
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import typer.main
from fastapi import FastAPI
from fastapi.routing import APIRoute, APIWebSocketRoute

from serve.study.conftest import study, study_site
from serve.study.people import StudyDoor
from serve.visitor import Door
from vnla import cli
from vnla.serve.study.app import StudySite

__all__ = ["study", "study_site"]

DOCS = Path(__file__).parents[2] / "docs"
HOSTING = DOCS / "hosting"
ROUTES = {
    "/", "/assets/{name}", "/plan/{house}-bare.json", "/pictures/{house}.json", "/face/{picture}.webp", "/mesh/{house}.glb",
    "/advice", "/ws",
}  # fmt: skip
NAMED = {
    "/first.json", "/houses.json", "/plan/{house}.json", "/understand", "/openapi.json", "/agents.json", "/today.json",
    "/today/result.json",
}  # fmt: skip
"""Those that say what is in a house, which a study does not have."""


def routes(app: Any) -> set[str]:
    """The routes of an app; all of them are for reading."""
    assert isinstance(app, FastAPI)
    for route in app.routes:
        assert isinstance(route, APIWebSocketRoute) or set(getattr(route, "methods", ())) <= {"GET", "HEAD"}
        assert isinstance(route, APIRoute | APIWebSocketRoute) or getattr(route, "path", "") == "/openapi.json"
    return {getattr(route, "path", "") for route in app.routes}


def test_there_are_these_routes_and_no_others(door: Door, study_site: StudySite, study: Path) -> None:
    assert routes(door.app) == ROUTES | NAMED
    with StudyDoor(study_site, study) as other:
        assert routes(other.app) == ROUTES


@pytest.mark.parametrize(
    "address",
    ["/docs", "/redoc", "/assets/", "/assets/../app.py", "/assets/%2e%2e/app.py", "//etc/passwd", "/sessions/secret.key",
     "/face/..%2f..%2fsecret.key.webp", "/plan/x.json", "/.git/config", "/ws"],
)  # fmt: skip
def test_nothing_else_is_answered(door: Door, address: str) -> None:
    assert door.get(address).status_code in (404, 422)
    assert door.post("/", content=b"x").status_code == 405


def options() -> set[str]:
    """All options of `vnla serve`."""
    command: Any = typer.main.get_command(cli.app)
    return {flag for each in command.commands["serve"].params for flag in each.opts if flag.startswith("--")}


def test_files_use_options_that_there_are() -> None:
    unit = configparser.ConfigParser(strict=False, interpolation=None)
    unit.optionxform = str  # type: ignore[assignment, method-assign]
    unit.read(HOSTING / "vnla.service")
    service = shlex.split(unit["Service"]["ExecStart"])
    container = (HOSTING / "Containerfile").read_text()
    program, given = (json.loads(re.findall(rf"^{each} (\[.*\])$", container, re.M)[0]) for each in ("ENTRYPOINT", "CMD"))
    [run] = re.findall(r"^# podman run .*? vnla (--.*)$", container, re.M)
    for words in (service, program + given, program + shlex.split(run)):
        assert words[:2] == ["/opt/vnla/bin/vnla", "serve"] and "--public" in words and "--name" in words
        assert {word for word in words if word.startswith("--")} <= options()
    page = (DOCS / "hosting.md").read_text()
    assert set(re.findall(r"--[a-z][a-z-]+", re.sub(r"`?vnla bench.*", "", page))) - {"--now"} <= options()


DIRECTIVES = {
    "server", "listen", "server_name", "ssl_certificate", "ssl_certificate_key", "client_header_timeout",
    "client_max_body_size", "send_timeout", "proxy_http_version", "location", "proxy_pass", "proxy_set_header",
    "proxy_read_timeout",
}  # fmt: skip
CADDY = {"servers", "timeouts", "read_header", "read_body", "example.org", "request_body", "max_size", "reverse_proxy"}


def test_proxies_say_who_asks_and_where() -> None:
    nginx, caddy = ((HOSTING / name).read_text() for name in ("nginx.conf", "Caddyfile"))
    assert {line.split()[0] for line in nginx.splitlines() if re.match(r"\s*[a-z]", line)} == DIRECTIVES
    assert {line.split()[0] for line in caddy.splitlines() if re.match(r"\s*[a-z]", line)} == CADDY
    for location in nginx.split("location")[1:]:
        for header in ("Host $http_host", "X-Forwarded-For $remote_addr", "X-Forwarded-Proto $scheme"):
            assert f"proxy_set_header {header};" in location
        assert "http://127.0.0.1:8000" in location
    assert "reverse_proxy 127.0.0.1:8000" in caddy


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="there is no systemd")
def test_the_unit_is_one(tmp_path: Path) -> None:
    unit = tmp_path / "vnla.service"
    unit.write_text((HOSTING / "vnla.service").read_text().replace("/opt/vnla/bin/vnla", "/bin/true"))
    checked = subprocess.run(["systemd-analyze", "verify", unit], capture_output=True, text=True, timeout=60, check=False)
    assert not [line for line in checked.stderr.splitlines() if unit.name in line], checked.stderr
