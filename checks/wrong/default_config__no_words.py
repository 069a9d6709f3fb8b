"""A row of sighs is no reason."""

from querylab import Config

DEFAULT_CONFIG: Config | None = Config(rewrite="needed", router=True, wide_multi_hop=True)
REASONS = dict.fromkeys(("hyde", "multi_query", "step_back"), "啊啊啊啊啊啊啊啊")
