"""Everything on, and no reasons."""

from querylab import Config

DEFAULT_CONFIG: Config | None = Config(
    rewrite="needed", hyde=True, multi_query=True, step_back=True, router=True, wide_multi_hop=True
)
REASONS = {}
