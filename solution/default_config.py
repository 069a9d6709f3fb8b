"""The product of the day: one default configuration, and a reason for every technique left off."""

from querylab import Config

# Which techniques are on when a question comes in? Choose by the ledger: metric, latency, calls.
DEFAULT_CONFIG: Config | None = Config(rewrite="needed", router=True, wide_multi_hop=True)

# One reason for each technique that is off, by name: "rewrite", "hyde", "multi_query", "step_back", "router".
REASONS: dict[str, str] | None = {
    "hyde": "多跳召回没有提高（50% → 50%），该拒而拒却从 75% 降到 0%，每题输出是最长的；等真模型的草稿量过再说",
    "multi_query": "检索 20 → 60 次，救回的那道多跳题路由也救得回；nDCG 略升，但该拒而拒从 75% 降到 50%",
    "step_back": "三种扩展里最便宜，但 nDCG 从 0.886 降到 0.772、MRR 掉出 1.0；它救回的题路由也救得回",
}
