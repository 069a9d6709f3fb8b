"""The product of the day: one default configuration, and a reason for every technique left off."""

from querylab import Config

# Which techniques are on when a question comes in? Choose by the ledger: metric, latency, calls.
DEFAULT_CONFIG: Config | None = None
# One reason for each technique that is off, by name: "rewrite", "hyde", "multi_query", "step_back", "router".
REASONS: dict[str, str] | None = None
