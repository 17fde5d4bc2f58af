"""dccvp import FORMAT FILE… -o FOLDER: makes a platform of the files of other programs.

Each format is a module with read_files(paths, settings), which returns an Imported, and SETTINGS, {name: meaning} of
what --set takes. docs/import.md lists what each format gives.
"""

import argparse
import difflib
import importlib
import shlex

from dccvp.common.ending import InputError
from dccvp.importers import write
from dccvp.importers.source import quoted

# Names of the formats, which are those of the modules; "csv" is the module csv_flows, since csv is Python's own.
FORMATS = ("hpcc", "htsim", "sonic", "mlx5", "irdma", "bnxt", "sizes", "csv", "graphml", "sndlib", "goal", "chakra",
           "astra", "dts", "repl")


def module_of(name):
    """Returns the module of a format; InputError for an unknown format."""
    if name not in FORMATS:
        near = difflib.get_close_matches(name, FORMATS, 1)
        hint = f"; did you mean '{near[0]}'?" if near else f" (known: {', '.join(FORMATS)})"
        raise InputError(f"there is no format {quoted(name)}{hint}")
    return importlib.import_module("dccvp.importers." + ("csv_flows" if name == "csv" else name))


def settings_of(module, name, texts):
    """Returns {name: text} of --set arguments; InputError for a name that the format does not know."""
    found = {}
    for text in texts:
        key, equals, value = text.partition("=")
        if not equals or key not in module.SETTINGS:
            known = "; ".join(f"{key}: {meaning}" for key, meaning in module.SETTINGS.items()) or "none"
            raise InputError(f"--set {quoted(text)}: {name} takes NAME=VALUE of ({known})")
        found[key] = value
    return found


def main(arguments):
    parser = argparse.ArgumentParser(prog="dccvp import", description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("program")
    parser.add_argument("format")
    parser.add_argument("files", nargs="+")
    parser.add_argument("-o", "--out", required=True)
    parser.add_argument("--set", dest="settings", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--force", action="store_true")
    options = parser.parse_args(arguments)
    module = module_of(options.format)
    settings = settings_of(module, options.format, options.settings)
    folder = options.out.rstrip("/") or "/"
    imported = module.read_files(options.files, settings)
    words = shlex.join(["import", options.format, *options.files, *(f"--set={text}" for text in options.settings)])
    words = "".join(c if c.isprintable() else "?" for c in words)
    said = write.write(imported, folder, words, options.program, options.force, options.files[0])
    print(write.summary(imported, folder), end="")
    if said:
        print(said)
    return 0
