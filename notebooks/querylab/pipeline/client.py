"""Who answers: the offline rules, a recording, or the live model, as ``MOCK`` says."""

from querylab import settings
from querylab.models.protocol import Client


def make_client(mode: settings.Mode | None = None) -> Client:
    """Make the model client that ``MOCK`` asks for.

    Args:
        mode: ``mock``, ``live`` or ``replay``; taken from the environment when None.

    Returns:
        A client with ``await client.messages.create(...)`` and an attribute ``modelled`` (True when
        its durations are modelled instead of measured).

    Raises:
        SettingError: for an unknown ``MOCK``, a ``LAB_MODEL`` without a price, a recording that is not there, or a
            live model without ``ANTHROPIC_API_KEY``.
    """
    mode = mode or settings.mode()
    settings.price(settings.model())  # a model without a price could not be accounted for
    if mode == "mock":
        from querylab.rules.client import MockClient

        return MockClient()
    if mode == "replay" and not settings.replay_named():
        from querylab.models.recording import RecordedClient

        return RecordedClient.of(settings.recording())
    from querylab.models.live import make_live_client

    return make_live_client(mode)
