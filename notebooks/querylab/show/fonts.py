"""Figures with Chinese labels on any machine: a font that ships with the lab, and a picture that shows itself.

matplotlib is imported at the first picture, and its global settings are left alone: the font and the
style hold inside :func:`style` only. pyplot is never used, so no figure stays open and none is shown twice.
"""

import base64
import io
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from querylab import settings

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FONT_FILE = settings.ROOT / "notebooks" / "querylab" / "fonts" / "NotoSansSC-subset.ttf"
FAMILY = "QueryLab Sans SC"

# For characters outside of the subset, when the machine has one of these. DejaVu comes with matplotlib.
_FURTHER = (
    "Noto Sans CJK SC",
    "Noto Sans SC",
    "Source Han Sans SC",
    "PingFang SC",
    "Hiragino Sans GB",
    "Microsoft YaHei",
    "WenQuanYi Micro Hei",
    "DejaVu Sans",
)
_MISSING = "□"

DPI = 160
"""Dots per inch of the PNG; it is shown at 96, so that it stays sharp on fine screens."""

SHADES = 32
"""Shades kept in the PNG of a grey picture."""

FILLS = ("0.25", "0.75", "0.95", "0.5", "0.88", "0.62")
HATCHES = ("", "////", "....", "xxxx", "\\\\\\\\", "++++")
"""Grey and hatching by number: what stands apart in colour would not on paper."""


@cache
def families() -> tuple[str, ...]:
    """Register the lab's font with matplotlib, once, and list the font families to use."""
    log = logging.getLogger("matplotlib.font_manager")
    level = log.level
    log.setLevel(logging.ERROR)  # a fresh machine builds its font cache, and would say so on stderr
    try:
        from matplotlib import font_manager

        if FONT_FILE.is_file():
            font_manager.fontManager.addfont(FONT_FILE)
        known = {entry.name for entry in font_manager.fontManager.ttflist}
    finally:
        log.setLevel(level)
    return tuple(name for name in (FAMILY, *_FURTHER) if name in known)


@cache
def covered() -> frozenset[int]:
    """Code points that at least one of the families can draw."""
    from matplotlib import font_manager
    from matplotlib.ft2font import FT2Font

    codes: set[int] = set()
    for name in families():
        codes |= set(FT2Font(font_manager.findfont(name)).get_charmap())
    return frozenset(codes)


def legible(text: str) -> str:
    """Put ``□`` for what no font here can draw, instead of a warning on stderr for each."""
    return "".join(character if character == "\n" or ord(character) in covered() else _MISSING for character in text)


@contextmanager
def style() -> Iterator[None]:
    """Draw in the lab's style: its font, black on white, no mathtext in labels; global settings stay."""
    names = list(families())
    import matplotlib.style

    settings_here: dict[str, Any] = {
        "font.family": names,
        "font.size": 10,
        "axes.titlesize": 11,
        "axes.titlelocation": "left",
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.axisbelow": True,
        "grid.color": "0.85",
        "hatch.linewidth": 0.7,
        "hatch.color": "black",
        "legend.frameon": False,
        "text.parse_math": False,
        "savefig.facecolor": "white",
    }
    with matplotlib.style.context(["default", settings_here]):
        yield


def new_figure(width: float, height: float) -> "Figure":
    """Make a figure of so many inches, apart from pyplot. Call it inside :func:`style`."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), dpi=96, layout="constrained", facecolor="white")
    FigureCanvasAgg(figure)
    return figure


@dataclass(frozen=True, repr=False)
class Picture:
    """A matplotlib figure that shows itself as a sharp PNG, and its figures in words.

    Attributes:
        figure: the matplotlib figure, not known to pyplot.
        words: what the picture shows, as text: for places without images, and for people who listen.
    """

    figure: "Figure"
    words: str

    def png(self) -> bytes:
        """Draw it; a grey picture in 32 shades, which takes a quarter of the bytes in every saved notebook."""
        from PIL import Image, ImageChops

        drawn, stream = io.BytesIO(), io.BytesIO()
        with style():
            self.figure.savefig(drawn, format="png", dpi=DPI)
        image = Image.open(drawn).convert("RGB")
        red, green, blue = image.split()
        if not (ImageChops.difference(red, green).getbbox() or ImageChops.difference(green, blue).getbbox()):
            image = red.quantize(SHADES)
        image.save(stream, format="png", optimize=True)
        return stream.getvalue()

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> tuple[dict[str, Any], dict[str, Any]]:
        inches = self.figure.get_size_inches()
        size = {"width": round(inches[0] * 96), "height": round(inches[1] * 96)}
        image = base64.b64encode(self.png()).decode("ascii")
        return {"image/png": image, "text/plain": self.words}, {"image/png": size}

    def __str__(self) -> str:
        return self.words

    __repr__ = __str__
