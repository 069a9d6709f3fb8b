"""For tests: a copy of the repository as handed out, and running kernels in it, as a notebook has them."""

import os
import shutil
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from querylab import settings
from querylab.lesson.handout import starter_text

COPIED = ("notebooks/querylab", "corpus", "checks")
OWN_VARIABLES = ("QUERYLAB_", "LAB_", "MOCK", "ANTHROPIC_", "JPY_SESSION_NAME")
NOT_COPIED = shutil.ignore_patterns("__pycache__", "*.ipynb", ".ipynb_checkpoints")


def copy_repository(folder: Path) -> Path:
    """Copy what a lab needs."""
    for name in COPIED:
        shutil.copytree(settings.ROOT / name, folder / name, ignore=NOT_COPIED)
    hand_out(folder)
    return folder


def hand_out(root: Path) -> None:
    """Put a copy's exercises back to what is handed out, and forget what it remembers."""
    for name in ("starter", "solution", ".lab"):
        shutil.rmtree(root / name, ignore_errors=True)
    shutil.copytree(settings.ROOT / "solution", root / "solution", ignore=NOT_COPIED)
    (root / "starter").mkdir()
    for path in (root / "solution").glob("*.py"):
        (root / "starter" / path.name).write_text(starter_text(path), encoding="utf-8")


def kernel_environment(root: Path, **more: str) -> dict[str, str]:
    """The environment of a kernel in a copy: its own helper module, no network, none of the developer's settings."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(OWN_VARIABLES)}
    places = (root / "checks" / "no_network", root / "notebooks", root)
    return kept | {"PYTHONPATH": os.pathsep.join(map(str, places)), "PYTHONUTF8": "1"} | more


class Kernel:
    """A running kernel in a copy of the repository; cells are run one by one."""

    def __init__(self, root: Path, name: str = "python3", **more: str) -> None:
        self.root = root
        self.notebook = nbformat.v4.new_notebook()
        self.client = NotebookClient(self.notebook, kernel_name=name, allow_errors=True, timeout=60)
        self.client.create_kernel_manager()
        environment = kernel_environment(root, **more)
        self._running = self.client.setup_kernel(env=environment, cwd=str(root / "notebooks"))
        self._running.__enter__()

    def run(self, source: str) -> str:
        """Run one cell; return everything that it shows as text, an error as ``!Name: traceback``."""
        self.notebook.cells.append(nbformat.v4.new_code_cell(source))
        cell = self.client.execute_cell(self.notebook.cells[-1], len(self.notebook.cells) - 1)
        return "".join(map(_shown, cell.outputs))

    def close(self) -> None:
        """Stop the kernel."""
        self._running.__exit__(None, None, None)


def _shown(output: nbformat.NotebookNode) -> str:
    if output.output_type == "error":
        return f"!{output.ename}: " + "\n".join(output.traceback)
    return output.text if output.output_type == "stream" else output.data.get("text/plain", "")
