"""What all tests share: no network, a clean environment, repeatable examples, and the lab itself."""

import os

import pytest
from hypothesis import HealthCheck, settings
from querylab.corpus.model import Corpus
from querylab.pipeline.lab import Lab

for _name in list(os.environ):
    if _name in ("ANTHROPIC_API_KEY", "MOCK", "QUERYLAB_TRACK") or _name.startswith("LAB_"):
        del os.environ[_name]  # the developer's own settings decide nothing here

settings.register_profile(
    "lab",
    derandomize=True,  # the same examples on every run and on every machine
    deadline=None,
    max_examples=100,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("lab")


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Let pytest-socket refuse every connection that leaves this machine."""
    config.option.allow_hosts = "127.0.0.1,::1"
    config.option.allow_unix_socket = True


@pytest.fixture(scope="session")
def lab() -> Lab:
    """The lab on its own corpus with the reference solution and the offline rules."""
    return Lab.open(track="solution")


@pytest.fixture(scope="session")
def corpus(lab: Lab) -> Corpus:
    """The lab's own corpus."""
    return lab.corpus
