"""The product of the day: one default configuration, and a reason for every technique left off."""

from querylab import Config

# Which techniques are on when a question comes in? Choose by the ledger: metric, latency, calls.
DEFAULT_CONFIG: Config | None = Config(rewrite="needed", router=True, wide_multi_hop=True)

# One reason for each technique that is off, by name: "rewrite", "hyde", "multi_query", "step_back", "router".
REASONS: dict[str, str] | None = {
    "hyde": "多跳召回从 50% 掉到 0%，该拒而拒从 75% 降到 0%，输出最长；规则的草稿不算数，等真模型量过再说",
    "multi_query": "检索 20 → 60 次，多跳召回没有提高（50% → 50%），nDCG 从 0.894 降到 0.876",
    "step_back": "三种扩展里最便宜，但多跳召回没有提高，nDCG 从 0.894 降到 0.785、MRR 掉出 1.0",
}
