"""Lists the pages of the documentation and the commands in their code blocks.

The commands of a block of kind `sh` are run as written. If a block of kind `text` follows, the output must contain
its lines in this order. The commands of a block of kind `sh long` are not run, because they take too long for every
change, or because they would run this test itself (make test).
"""

import pathlib
import re

BLOCK = re.compile(r"^```([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"^(?:\$ )?(?:(?:\S*/)?(?:dccvp|wheel_cosim|regtool\.py|study\.py) |make [a-z]|ctest )")


def pages(root):
    root = pathlib.Path(root)
    docs = [root / "README.md", root / "CONTRIBUTING.md", *sorted((root / "docs").glob("*.md"))]
    schemes = sorted((root / "models/schemes").glob("*/README.md"))
    return [*docs, *schemes, *sorted((root / "rtl").glob("*/doc/*.md")), root / "rtl/handoff/README.md",
            root / "models/core/controller/law/README.md", root / "models/core/switch/README.md",
            root / "configs/reproduce/silicon.md", root / "configs/reproduce/held_rows.md",
            root / "configs/differentiation/README.md"]


def blocks(page):
    """Yields (kind, body) of every fenced block of a page; the kind is the text after the three backticks."""
    return BLOCK.findall(page.read_text(encoding="utf-8"))


def commands(page):
    """Yields (commands, promised lines of output) of every block to be run."""
    found = blocks(page)
    pairs = []
    for i, (kind, body) in enumerate(found):
        if kind == "sh":
            promised = found[i + 1][1] if i + 1 < len(found) and found[i + 1][0] == "text" else ""
            pairs.append((body, promised.splitlines()))
    return pairs
