"""The product of the day: one default configuration, and a reason for every technique left off."""

from querylab.pipeline import Config

# Which techniques are on when a question comes in? Choose by the ledger: metric, latency, calls.
DEFAULT_CONFIG: Config | None = Config(rewrite="needed", router=True, wide_multi_hop=True)

# One reason for each technique that is off: "hyde", "multi_query", "step_back", "rewrite", "router".
REASONS: dict[str, str] | None = {
    "hyde": "TODO",
    "multi_query": "TODO",
    "step_back": "TODO",
}
