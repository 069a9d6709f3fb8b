"""What the machine around the lab can get wrong, and that it ends in words: proxies, certificates, addresses, places."""

import asyncio
import contextlib
import os
import sqlite3
import stat
import sys
from dataclasses import replace
from pathlib import Path, PurePosixPath, PureWindowsPath

import pytest
from querylab import prompts, settings
from querylab.__main__ import main
from querylab.models import connection
from querylab.models.connection import NoConnection
from querylab.models.replay import ReplayStore
from querylab.models.reply import LastingFailure
from querylab.models.sqlite_file import uri
from querylab.pipeline.client import make_client
from querylab.pipeline.config import HYDE
from querylab.pipeline.lab import Lab

from checks.fake_api import FakeAPI
from checks.live_setup import Connect, ask, connect, key

__all__ = ["connect", "key"]  # fixtures

REQUEST = prompts.hyde("年假几天")


# ── The way to the server ───────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("name", ["ALL_PROXY", "all_proxy"])
def test_a_socks_proxy_without_its_package_is_named(
    name: str, lab: Lab, connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "socksio", None)  # as if it were not installed
    monkeypatch.setenv(name, "socks5://user:secret@127.0.0.1:9")
    with FakeAPI() as api:
        client = connect(api)
        error, _ = ask(client, **REQUEST)
        trace = asyncio.run(replace(lab, client=client).ask(lab.corpus.questions[0].question, (), HYDE))
    assert isinstance(error, NoConnection) and isinstance(error, LastingFailure)
    assert "socksio" in str(error) and "ALL_PROXY" in str(error) and "secret" not in str(error)
    assert "socksio" in trace.stopped and trace.context.chunks  # the question is answered all the same
    assert api.seen == []


def test_a_proxy_that_is_no_address_is_named(connect: Connect, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "foo://nowhere")
    with FakeAPI() as api:
        error, _ = ask(connect(api), **REQUEST)
    assert isinstance(error, NoConnection) and "HTTPS_PROXY" in str(error)


@pytest.mark.parametrize("held", [None, "no certificate"])
def test_certificates_that_cannot_be_read_are_named(
    held: str | None, key: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "old.pem"
    if held:
        path.write_text(held, encoding="utf-8")
    monkeypatch.setenv("SSL_CERT_FILE", str(path))
    monkeypatch.setenv("LAB_REPLAY", str(tmp_path / "mine.sqlite"))
    monkeypatch.setenv("MOCK", "0")
    connection.certificates.cache_clear()
    with pytest.raises(settings.SettingError, match=r"SSL_CERT_FILE=.*old\.pem"):
        make_client()
    assert main(["ask", "年假几天"]) == 2
    assert "SSL_CERT_FILE" in capsys.readouterr().err
    monkeypatch.delenv("SSL_CERT_FILE")
    make_client().close()  # what failed is not remembered


def test_an_address_that_ends_in_the_version_says_so(connect: Connect, monkeypatch: pytest.MonkeyPatch) -> None:
    with FakeAPI() as api:
        client = connect(api)
        for ending in ("/v1", "/v1/"):
            monkeypatch.setenv("ANTHROPIC_BASE_URL", api.url + ending)
            error, _ = ask(connect(None), **REQUEST)
            assert isinstance(error, LastingFailure)
            assert "ANTHROPIC_BASE_URL ends in /v1" in str(error) and "LAB_MODEL" not in str(error)
        monkeypatch.setenv("ANTHROPIC_BASE_URL", f"{api.url}/elsewhere")
        error, _ = ask(client, **REQUEST)
    assert "Check LAB_MODEL" in str(error)


# ── Files ───────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    ("path", "expected"),
    [
        (PurePosixPath("/home/课堂 #1/a?b.sqlite"), "file:///home/%E8%AF%BE%E5%A0%82%20%231/a%3Fb.sqlite"),
        (PureWindowsPath(r"C:\lab\a.sqlite"), "file:///C:/lab/a.sqlite"),
        (PureWindowsPath(r"\\server\share\a 100%.sqlite"), "file:////server/share/a%20100%25.sqlite"),
        (PurePosixPath("//server/share/a.sqlite"), "file:////server/share/a.sqlite"),
    ],
)
def test_a_path_never_becomes_a_host(path: PurePosixPath | PureWindowsPath, expected: str) -> None:
    assert uri(path) == expected


@pytest.mark.skipif(os.name == "nt", reason="two slashes are a share there")
def test_a_path_that_looks_like_a_share_is_opened(tmp_path: Path) -> None:
    path = Path(f"/{tmp_path}") / "a #1.sqlite"
    with ReplayStore(path) as store:
        assert len(store) == 0
    with contextlib.closing(sqlite3.connect(tmp_path / "a #1.sqlite")) as opened:
        assert opened.execute("SELECT count(*) FROM replies").fetchone() == (0,)


@pytest.fixture
def closed(tmp_path: Path) -> Path:
    """A folder that nobody may write to; on systems and for users whom nothing stops, a file in its place."""
    folder = tmp_path / "closed"
    folder.mkdir()
    folder.chmod(stat.S_IRUSR | stat.S_IXUSR)
    if os.access(folder, os.W_OK):
        folder.rmdir()
        folder.write_text("no folder", encoding="utf-8")
    return folder


def test_the_kernel_cannot_be_installed_where_nobody_may_write(
    closed: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from querylab.lesson import kernels

    install = kernels.install
    monkeypatch.setattr(kernels, "install", lambda: install(str(closed)))
    assert main(["kernels"]) == 2
    shown = capsys.readouterr().err
    assert f"{closed} cannot be written to" in shown and "python -m venv" in shown
