#!/usr/bin/env python3
"""Checks that files which may be compiled as one share no name of an anonymous namespace.

CMake compiles several files as one source (UNITY_BUILD). Which files these are changes whenever a file is added, and
differs between builds with other batch sizes, such as the build with sanitizers. usage: check_names.py [ROOT]; exit
status 1 and one line for each name that two files of a group have.
"""
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

# Folders whose files may be compiled as one source. The first pattern that matches a file decides. Each folder below
# a * is a separate group.
GROUPS = ("models/core/*", "models/schemes", "models/tlm", "tests/model", "tests/platform", "tests/unit/*",
          "vp/cli", "vp/config", "vp/diagnose", "vp/report", "vp")

TYPE = re.compile(r"(?:struct|class|enum(?: class)?) (\w+)[^;]*(?:\{.*)?$")
VALUE = re.compile(r"(?:constexpr|const|static|inline)\b[^(]*?\b(\w+)(?:\[\w*\])*(?: = .*|\{.*|;)$")
FUNCTION = re.compile(r"\w[\w:<>,&* ]*[ &*](\w+\(.*)$")


def names(text):
    """Names declared in anonymous namespaces, with their enclosing namespaces. clang-format has formatted the text,
    so each name begins in column 1 and each namespace ends with a comment."""
    around = []
    for line in text.splitlines():
        if line.startswith("namespace ") and line.endswith("{"):
            around.append(line[len("namespace "):-1].strip())
        elif line.startswith("}  // namespace") and around:
            around.pop()
        elif "" in around and not line.startswith(("using ", "template ", "return", "TEST", "INSTANTIATE")):
            found = TYPE.match(line) or VALUE.match(line) or FUNCTION.match(line)
            if found:
                # Overloaded functions of one name differ by their parameters.
                yield "::".join(around[:around.index("")]), found.group(1).split(" {")[0]


def group_of(file):
    for group in GROUPS:
        stem = group.removesuffix("/*")
        if file.startswith(stem + "/"):
            return stem if stem == group else "/".join(file.split("/")[:stem.count("/") + 2])
    return None


def clashes(texts):
    """Names that several files of a group declare, each with the list of files; `texts` maps each path to the
    file's contents."""
    where = defaultdict(set)
    for file, text in texts:
        group = group_of(file)
        for name in names(text) if group else ():
            where[group, name].add(file)
    found = [(name[1], sorted(files)) for (_, name), files in where.items() if len(files) > 1]
    return sorted(found, key=lambda clash: clash[1])


def main():
    root = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent)
    files = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.cpp"],
                           cwd=root, check=True, capture_output=True, text=True).stdout.split()
    found = clashes((file, (root / file).read_text()) for file in files if (root / file).exists())
    for name, both in found:
        print(f"{name} is in " + " and in ".join(both))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
