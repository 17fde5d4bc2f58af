"""Writes the licence into every file of the hand-off package: tool.py stamp-license PACKAGE

The SPDX line is a comment in the first line of a file, or in the second one if the first line has to stay first: the
header of CAPI2, XML or Verilator's settings, a shell's "#!", the title of a Markdown page. REUSE.toml names files
whose format has no comments (vectors, logs). A file that has the line stays as it is, so that the line numbers in the
map of the controller's rules hold.
"""
import pathlib
import re
import sys

LICENSE = "SPDX-License-Identifier: Apache-2.0"
COMMENTS = {".sv": "// {}", ".v": "// {}", ".vlt": "// {}", ".h": "// {}", ".cpp": "// {}", ".c": "// {}",
            ".rdl": "// {}",
            ".sh": "# {}", ".py": "# {}", ".mk": "# {}", ".sdc": "# {}", ".upf": "# {}", ".core": "# {}",
            ".md": "<!-- {} -->", ".xml": "<!-- {} -->", ".svd": "<!-- {} -->"}
DATA = {".vec", ".log", ".txt", ".f"}
HEADERS = r"CAPI=|<\?xml|`verilator_config|#!"
NAMES = {"Makefile": "# {}", "LICENSE": None}


def stamp(path):
    """Adds the licence to a file; returns true if the file then contains the licence."""
    text = path.read_text(encoding="utf-8", errors="replace")
    if LICENSE.split(":")[0] in text or path.name == "LICENSE":
        return True
    form = NAMES.get(path.name) or COMMENTS.get(path.suffix)
    if form is None:
        return False
    lines = text.split("\n")
    header = re.match("# " if path.suffix == ".md" else HEADERS, lines[0])
    lines.insert(1 if header else 0, form.format(LICENSE))
    path.write_text("\n".join(lines), encoding="utf-8")
    return True


def main(arguments):
    if len(arguments) != 1:
        sys.exit(__doc__)
    package = pathlib.Path(arguments[0])
    plain = []
    for path in sorted(p for p in package.rglob("*") if p.is_file()):
        if path.name in ("REUSE.toml", "MISSING") or stamp(path):
            continue
        if path.suffix not in DATA:
            sys.exit(f"stamp-license: {path}: how does a {path.suffix or path.name} say its licence?")
        plain.append(path.relative_to(package))
    folders = sorted({f"{path.parent}/*{path.suffix}" for path in plain} | {"reports/*"})
    body = ",\n".join(f'  "{folder}"' for folder in folders)
    (package / "REUSE.toml").write_text(
        f'version = 1\n\n[[annotations]]\npath = [\n{body},\n]\n"SPDX-License-Identifier" = "Apache-2.0"\n',
        encoding="utf-8")
    return 0
