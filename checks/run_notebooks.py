"""``python -m checks.run_notebooks [NAME …]``: run notebooks on the solution kernel and store their outputs.

The stored kernel stays ``python3``, so that whoever opens a notebook is on the starter track; the
outputs are the solution's, and nbval holds them against every later run.
"""

import argparse
import os
import sys
import time
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from querylab import settings
from querylab.lesson.kernels import NAME

FOLDER = settings.ROOT / "notebooks"
KERNELSPEC = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
CELL_SECONDS = 120


def run(path: Path, kernel: str = NAME, environment: dict[str, str] | None = None) -> nbformat.NotebookNode:
    """Run one notebook from a fresh kernel, in order.

    Args:
        path: the notebook.
        kernel: the kernel's name.
        environment: the kernel's environment variables; this process's own when None.

    Returns:
        The notebook with its outputs, as it should be stored.

    Raises:
        nbclient.exceptions.CellExecutionError: when a cell fails.
    """
    notebook = nbformat.read(path, as_version=4)
    client = NotebookClient(
        notebook, kernel_name=kernel, timeout=CELL_SECONDS, resources={"metadata": {"path": str(path.parent)}}
    )
    client.execute(env=dict(os.environ) if environment is None else environment)
    for index, cell in enumerate(notebook.cells):
        cell.id = f"{path.stem.replace('_', '-')}-{index:02}"
        cell.metadata.pop("execution", None)
        if cell.cell_type == "code":
            _merge_streams(cell)
    notebook.metadata = nbformat.from_dict({"kernelspec": KERNELSPEC, "language_info": {"name": "python"}})
    return notebook


def _merge_streams(cell: nbformat.NotebookNode) -> None:
    """Join neighbouring outputs of one stream: how a kernel cuts them up is chance."""
    merged: list[nbformat.NotebookNode] = []
    for output in cell.outputs:
        if merged and output.output_type == "stream" == merged[-1].output_type and output.name == merged[-1].name:
            merged[-1].text += output.text
        else:
            merged.append(output)
    cell.outputs = merged


def main(arguments: list[str] | None = None) -> int:
    """Run the named notebooks, or all."""
    parser = argparse.ArgumentParser(prog="python -m checks.run_notebooks", description=__doc__.split("\n")[0])
    parser.add_argument("names", nargs="*", help="beginnings of notebook names, such as 03 (default: all)")
    options = parser.parse_args(arguments)
    for path in sorted(FOLDER.glob("[0-9][0-9]_*.ipynb")):
        if options.names and not path.name.startswith(tuple(options.names)):
            continue
        start = time.perf_counter()
        nbformat.write(run(path), path)
        print(f"{path.name}: {time.perf_counter() - start:.1f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
