"""Install the Jupyter kernel "querylab solution": the same Python, with the solution track switched on."""

import sys
from pathlib import Path

from querylab.settings import SettingError

NAME = "querylab-solution"
DISPLAY_NAME = "querylab solution"


def install(prefix: str = sys.prefix) -> str:
    """Install the kernel, and say where.

    Any ordinary kernel is the starter track; on this one ``%%exercise`` cells run ``solution/``.

    Args:
        prefix: the environment to install into; this Python's own, where its JupyterLab looks.

    Raises:
        SettingError: when that place cannot be written to.
    """
    from ipykernel.kernelspec import install as install_spec

    try:
        where = install_spec(
            kernel_name=NAME, display_name=DISPLAY_NAME, prefix=prefix, env={"QUERYLAB_TRACK": "solution"}
        )
    except OSError as error:
        raise _closed(Path(prefix), error) from error
    return f'Kernel "{DISPLAY_NAME}" ({NAME}) is installed in {where}.'


def remove() -> str:
    """Remove the kernel again."""
    from jupyter_client.kernelspec import KernelSpecManager, NoSuchKernel

    try:
        where = KernelSpecManager().remove_kernel_spec(NAME)
    except (NoSuchKernel, KeyError):
        return f"There is no kernel {NAME}."
    except OSError as error:
        raise _closed(Path(sys.prefix), error) from error
    return f"Kernel {NAME} is removed from {where}."


def _closed(prefix: Path, error: OSError) -> SettingError:
    return SettingError(
        f"{prefix} cannot be written to ({error.strerror or error}). Make an environment of your own, and run the "
        "command there:  python -m venv .venv, then  python -m pip install -r requirements.txt"
    )
