"""How the pictures look: matplotlib without a screen, its colours. To be imported before pyplot is."""

import os
import tempfile

# A cache of its own, since not everybody who runs this has a home folder that can be written.
os.environ.setdefault("MPLCONFIGDIR",
                      os.path.join(tempfile.gettempdir(), f"dccvp-matplotlib-{os.getuid()}"))
import matplotlib  # noqa: E402

matplotlib.use("Agg")

# Distinguishable in print and for colour-blind readers (Okabe and Ito).
COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#5C4B8A", "#4D4D4D"]
INK = "#222222"
PALE = "#8A8A8A"
GRID = "#E4E4E4"
