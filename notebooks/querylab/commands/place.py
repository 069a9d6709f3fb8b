"""Which clone of the lab a command works on: the one that one stands in, or none."""

from pathlib import Path

from querylab import settings

_MARK = Path("notebooks") / "querylab" / "settings.py"


def check_place(here: Path | None = None) -> None:
    """Refuse to work on another clone than the one that one stands in.

    The environment's ``querylab`` belongs to the clone it was installed from. Standing in a second one, its commands
    would read and grade the first one's files without a word.

    Args:
        here: where one stands; the working directory when None.

    Raises:
        SettingError: names both clones, and how to work on either.
    """
    here = (here or Path.cwd()).resolve()
    stood_in = next((folder for folder in (here, *here.parents) if (folder / _MARK).is_file()), None)
    if stood_in is None or stood_in.samefile(settings.ROOT):
        return
    raise settings.SettingError(
        f"You stand in {stood_in}, but this environment's querylab belongs to {settings.ROOT}. "
        f"To work on the first:  cd {stood_in}  and  pip install -r requirements.txt  (in an environment of its own). "
        f"To work on the second:  cd {settings.ROOT}."
    )
