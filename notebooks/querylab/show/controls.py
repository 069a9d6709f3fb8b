"""The panel's switches, sliders and fields, and how they stand beside one another."""

from typing import Any

from querylab.models.protocol import modelled
from querylab.pipeline.lab import Lab
from querylab.show.kept_rows import Example

BUDGET_STEP = 50
BUDGET_MOST = 3000


class Controls:
    """What a hand sets; whoever shows them says what a change does."""

    lab: Lab
    examples: list[Example]

    def _chosen(self, change: Any) -> None:
        raise NotImplementedError

    def _changed(self, change: Any = None) -> None:
        raise NotImplementedError

    def _build(self, widgets: Any) -> None:
        wide = {"description_width": "initial"}
        modes = [("关", "off"), ("总是", "always"), ("需要时", "needed")]
        self.rewrite = widgets.ToggleButtons(
            options=modes, value="off", layout={"width": "auto"}, style={"button_width": "66px"}
        )
        self.router = self._switch(widgets, "意图路由")
        self.wide = self._switch(widgets, "多跳用大预算")
        self.hyde = self._switch(widgets, "假设文档 HyDE")
        self.multi_query = self._switch(widgets, "多路查询")
        self.step_back = self._switch(widgets, "后退提问")
        budgets = self.lab.corpus.budgets
        self.budget = self._slider(widgets, "预算（token）", budgets.default)
        self.multi_hop_budget = self._slider(widgets, "多跳预算（token）", budgets.multi_hop)
        options = [(item.name, index) for index, item in enumerate(self.examples)]
        self.example = widgets.Dropdown(
            options=[("（自己输入）", None), *options],
            value=0 if options else None,
            description="选一题",
            layout={"width": "560px"},
            style=wide,
        )
        self.question = widgets.Text(
            value=self.examples[0].question if self.examples else "",
            description="问题",
            placeholder="输入一个问题，按回车",
            continuous_update=False,
            layout={"width": "560px"},
            style=wide,
        )
        self.with_history = widgets.Checkbox(value=True, description="带上前面的对话", indent=False)
        self.measure = widgets.ToggleButton(
            value=modelled(self.lab.client),
            description="算账本这一行",
            tooltip="真实模型：要花钱，所以先问",
            icon="calculator",
        )
        self.history = widgets.HTML()
        self.status = widgets.HTML()
        self.output = widgets.HTML()
        self.ledger = widgets.HTML()
        row = {"flex_flow": "row wrap", "align_items": "center", "grid_gap": "2px 14px"}
        parts = [
            widgets.HBox([widgets.Label("查询改写"), self.rewrite, self.router, self.wide], layout=row),
            widgets.HBox([self.hyde, self.multi_query, self.step_back], layout=row),
            widgets.HBox([self.budget, self.multi_hop_budget], layout=row),
            self.example,
            widgets.HBox([self.question, self.with_history], layout=row),
            self.history,
            self.status,
            self.ledger,
            self.output,
        ]
        if not modelled(self.lab.client):
            parts.insert(3, self.measure)
        self.box = widgets.VBox(parts)
        self.example.observe(self._chosen, "value")
        for widget in (
            self.rewrite,
            self.router,
            self.wide,
            self.hyde,
            self.multi_query,
            self.step_back,
            self.budget,
            self.multi_hop_budget,
            self.question,
            self.with_history,
            self.measure,
        ):
            widget.observe(self._changed, "value")

    @staticmethod
    def _switch(widgets: Any, name: str) -> Any:
        return widgets.Checkbox(value=False, description=name, indent=False, layout={"width": "auto"})

    @staticmethod
    def _slider(widgets: Any, name: str, value: int) -> Any:
        return widgets.IntSlider(
            value=value,
            min=0,
            max=max(BUDGET_MOST, value),
            step=BUDGET_STEP,
            description=name,
            continuous_update=False,
            style={"description_width": "initial"},
            layout={"width": "380px"},
        )
