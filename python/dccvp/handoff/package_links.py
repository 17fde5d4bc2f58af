"""Makes the links of the hand-off package's pages lead to files of the package: tool.py package-links ROOT PACKAGE

The pages come from folders of the repository ROOT, and link each other by its paths. A link to a page that the package
does not have becomes plain text. Where a source or a page names a page of the repository by its path, the path becomes
that of the package.
"""
import os
import pathlib
import re
import sys

# Page of the package -> page of the repository. The pages of doc/ that are not named here come from rtl/controller/doc.
SOURCES = {"README.md": "rtl/handoff/README.md", "CHANGES.md": "rtl/handoff/CHANGES.md",
           "doc/controller_contract.md": "docs/controller-contract.md", "doc/controller.md": "rtl/controller/README.md",
           "doc/timing_wheel.md": "rtl/timing_wheel/doc/theory.md", "doc/rate_unit.md": "rtl/rate_lut/doc/theory.md",
           "doc/timing_wheel_testplan.md": "rtl/timing_wheel/doc/testplan.md",
           "doc/pacer.md": "rtl/pacer/doc/contract.md", "doc/packet.md": "rtl/packet/doc/contract.md",
           "doc/nic_block.md": "rtl/nic/doc/contract.md", "doc/register_block.md": "rtl/regs/README.md",
           "doc/programmers_guide.md": "docs/driver.md", "doc/formats.md": "docs/formats.md",
           "registers/dcc.md": "docs/registers/dcc.md"}
COMMENTED = (".sv", ".v", ".vlt", ".h", ".c", ".cpp", ".py", ".md")


def source_of(page):
    """Returns the page of the repository of which this page of the package is a copy."""
    return SOURCES.get(page) or f"rtl/controller/doc/{page.rsplit('/', 1)[-1]}"


def relinked(text, page, pages, package):
    """Returns the text of a page of the package with links into the package. `pages`: {page of the repository: page
    of the package}."""
    folder = os.path.dirname(source_of(page))

    def link(found):
        words, path, anchor = found[1], found[2], found[3] or ""
        if re.match(r"\w+:", path) or not path:
            return found[0]
        place = pages.get(os.path.normpath(os.path.join(folder, path)))
        if place is None and (package / os.path.dirname(page) / path).exists():
            return found[0]
        return f"[{words}]({os.path.relpath(place, os.path.dirname(page) or '.')}{anchor})" if place else words

    return re.sub(r"\[([^\[\]]*)\]\(([^)#\s]*)(#[^)\s]*)?\)", link, text)


def main(arguments):
    if len(arguments) != 2:
        sys.exit(__doc__)
    root, package = map(pathlib.Path, arguments)
    names = [str(path.relative_to(package)) for path in sorted(package.rglob("*.md"))]
    pages = {source_of(name): name for name in names if (root / source_of(name)).is_file()}
    named = re.compile(r"(?<![\w/])(" + "|".join(map(re.escape, pages)) + r")(?!\w)")
    for path in sorted(path for path in package.rglob("*") if path.suffix in COMMENTED):
        text = path.read_text(encoding="utf-8")
        path.write_text(named.sub(lambda found: pages[found[1]], text), encoding="utf-8")
    for name in names:
        text = (package / name).read_text(encoding="utf-8")
        (package / name).write_text(relinked(text, name, pages, package), encoding="utf-8")
    return 0
