"""Settings and colours of matplotlib, without a screen. Take pyplot from here, so that the settings come first."""

import atexit
import os
import pathlib
import shutil
import tempfile


def cache_folder():
    """Returns a folder for matplotlib's caches: the user's own, or, if the home folder is read-only, a new folder
    that is deleted when the program ends. Another user could create a folder of a fixed name in the common
    temporary folder first."""
    own = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "dccvp-matplotlib"
    try:
        own.mkdir(mode=0o700, parents=True, exist_ok=True)
        if own.stat().st_uid == os.getuid() and os.access(own, os.W_OK | os.X_OK):
            return str(own)
    except OSError:
        pass
    fresh = tempfile.mkdtemp(prefix="dccvp-matplotlib-")
    atexit.register(shutil.rmtree, fresh, True)
    return fresh


if "MPLCONFIGDIR" not in os.environ:
    os.environ["MPLCONFIGDIR"] = cache_folder()
import matplotlib  # noqa: E402

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

# Colours that differ in print and for colour-blind readers (Okabe and Ito).
COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#5C4B8A", "#4D4D4D"]
INK = "#222222"
PALE = "#8A8A8A"
GRID = "#E4E4E4"


def plain(axes, labelsize, axis="both", sides=("top", "right")):
    """Draws a thin grid and small ticks, and leaves out these sides of the frame."""
    axes.tick_params(labelsize=labelsize, length=2)
    axes.grid(axis=axis, linewidth=0.3, color=GRID)
    axes.spines[list(sides)].set_visible(False)


def save(figure, path, dpi=110, **options):
    """Writes a picture and frees its memory."""
    figure.savefig(path, dpi=dpi, **options)
    plt.close(figure)


def save_experiment(figure, path, dpi=110):
    """Writes a picture of a published experiment, without the version of matplotlib."""
    save(figure, path, dpi, metadata={"Software": None})
