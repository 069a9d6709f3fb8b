"""Nearly everything on, and the reason in words."""

from querylab import Config

DEFAULT_CONFIG: Config | None = Config(
    rewrite="always", multi_query=True, step_back=True, router=True, wide_multi_hop=True
)
REASONS = {"hyde": "输出 token 最多，多跳召回反而掉了，拒答也拒不掉"}
