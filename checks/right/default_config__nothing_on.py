"""The baseline, and five reasons."""

from querylab import Config

DEFAULT_CONFIG: Config | None = Config()
REASONS = {
    name: f"{name} 要多花一次模型调用，单跳召回已经是 100%，没有地方可以涨"
    for name in ("rewrite", "hyde", "multi_query", "step_back", "router")
}
