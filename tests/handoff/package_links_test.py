#!/usr/bin/python3 -B
"""Checks that every file that a hand-off package names is in it: package_links_test.py PACKAGE

Links of its pages (with the headings they lead to), the files of dcc_top.core and dcc_top.xml, and of files.f, pacer.f
and nic.f. The line with the licence stands in no sentence of a comment. No comment names a page of the package by its
path in the repository.
"""
import pathlib
import re
import sys
import xml.etree.ElementTree as ElementTree

import yaml

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "python"))
from dccvp.handoff.package_links import COMMENTED, SOURCES  # noqa: E402

PARTS = ("filesets", "targets", "parameters")


def anchors(text):
    """The anchors of a page's headings, as GitHub makes them."""
    for heading in re.findall(r"^#+ (.*)$", text, re.M):
        plain = re.sub(r"[`*]|\[([^\]]*)\]\([^)]*\)", r"\1", heading).strip().lower()
        yield re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")


def dead_links(package):
    for page in sorted(package.rglob("*.md")):
        text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.S)
        for target in re.findall(r"\]\(([^)\s]+)\)", text):
            if re.match(r"\w+:", target):
                continue
            path, _, anchor = target.partition("#")
            place = (page.parent / path).resolve() if path else page
            if not place.exists() or not place.is_relative_to(package):
                yield f"{page.relative_to(package)}: {target}: no such file in the package"
            elif anchor and place.suffix == ".md" and anchor not in anchors(place.read_text(encoding="utf-8")):
                yield f"{page.relative_to(package)}: {target}: no such heading"


def dead_files(package):
    for name in sorted(package.glob("*.f")):
        for path in name.read_text(encoding="utf-8").split():
            if not (package / path).is_file():
                yield f"{name.name}: {path}"
    text = (package / "dcc_top.core").read_text(encoding="utf-8")
    if not text.startswith("CAPI=2:"):
        yield "dcc_top.core: does not begin with CAPI=2:"
    core = yaml.safe_load(text)
    yield from (f"dcc_top.core: no {part}" for part in PARTS if not core.get(part))
    for group in core["filesets"].values():
        for file in group["files"]:
            path = next(iter(file)) if isinstance(file, dict) else file
            if not (package / path).is_file():
                yield f"dcc_top.core: {path}"
    for name, target in core["targets"].items():
        yield from (f"dcc_top.core: target {name}: no file set {one}" for one in target["filesets"]
                    if one not in core["filesets"])
        yield from (f"dcc_top.core: target {name}: no parameter {one}" for one in target.get("parameters", ())
                    if one not in core["parameters"])
    for file in ElementTree.parse(package / "dcc_top.xml").getroot().iterfind(".//{*}fileSets//{*}file/{*}name"):
        if not (package / file.text).is_file():
            yield f"dcc_top.xml: {file.text}"


def cut_sentences(package):
    """The files whose line with the licence stands in a sentence of their first comment."""
    for path in sorted(path for path in package.rglob("*") if path.is_file() and path.suffix != ".vec"):
        lines = path.read_text(encoding="utf-8", errors="replace").split("\n")[:10]
        at = next((number for number, line in enumerate(lines) if "SPDX-License-Identifier:" in line), 0)
        before = lines[at - 1] if at else "."
        header = r"CAPI=|<\?xml|`verilator_config|#!" + ("|# " if path.suffix == ".md" else "")
        if not re.match(header, before) and not before.rstrip(" /*->").endswith("."):
            yield f"{path.relative_to(package)}: the licence's line cuts a sentence"


def foreign_paths(package):
    """The places that name a page of the package by its path in the repository."""
    for path in sorted(path for path in package.rglob("*") if path.suffix in COMMENTED):
        for page in re.findall(r"(?<![\w/])(?:docs|rtl)/[\w/-]+\.md\b", path.read_text(encoding="utf-8")):
            if page in SOURCES.values():
                yield f"{path.relative_to(package)}: {page}: a path of the repository"


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    package = pathlib.Path(sys.argv[1]).resolve()
    wrong = [*dead_links(package), *dead_files(package), *cut_sentences(package),
             *foreign_paths(package)]
    print("\n".join(wrong) or "every file that the package names is in it")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
