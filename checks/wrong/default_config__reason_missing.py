"""One technique is off without a reason."""

from querylab import Config

DEFAULT_CONFIG: Config | None = Config(rewrite="needed", router=True, wide_multi_hop=True)
REASONS = {"hyde": "输出最长，多跳召回 0%", "multi_query": "检索 20 → 60 次，多跳召回没有提高"}
