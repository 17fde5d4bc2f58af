"""Settings and colours of matplotlib, without a screen. Import this module before matplotlib.pyplot."""

import os
import tempfile

# A cache folder of our own: the user's home folder may be read-only.
os.environ.setdefault("MPLCONFIGDIR",
                      os.path.join(tempfile.gettempdir(), f"dccvp-matplotlib-{os.getuid()}"))
import matplotlib  # noqa: E402

matplotlib.use("Agg")

# Colours that differ in print and for colour-blind readers (Okabe and Ito).
COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#5C4B8A", "#4D4D4D"]
INK = "#222222"
PALE = "#8A8A8A"
GRID = "#E4E4E4"
