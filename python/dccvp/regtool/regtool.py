"""Makes every form of the register maps from rtl/regs/*.yaml.

  tool.py regtool              writes the generated files that are committed
  tool.py regtool --check      compares them with what would be written; exit 1 on a difference
  tool.py regtool --validate   reads and checks the maps only
  tool.py regtool --forms DIR  writes the exchange forms (IP-XACT, SystemRDL, CMSIS-SVD) to DIR

Exit status: 0 done, 1 a generated file is out of date, 2 a map is wrong.
"""

import argparse
import difflib
import pathlib
import sys

from dccvp.regtool import (memory_map, out_c, out_cpp, out_ipxact, out_markdown, out_sv_apb, out_sv_formal,
                           out_sv_pkg, out_svd, out_systemrdl, regmap)
from dccvp.regtool.yaml_source import SourceError

ROOT = pathlib.Path(__file__).resolve().parents[3]

# Output paths under the repository's root, by name of the map, with the function that makes each.
OUTPUTS = [
    ("sw/driver/{name}_regs.h", out_c.generate),
    ("models/core/registers/generated/{name}_map.h", out_cpp.header),
    ("models/core/registers/generated/{name}_map.cpp", out_cpp.source),
    ("models/core/registers/generated/{name}_parameters.h", out_cpp.parameters_header),
    ("models/core/registers/generated/{name}_settings.h", out_cpp.settings_header),
    ("models/core/registers/generated/{name}_settings.cpp", out_cpp.settings_source),
    ("rtl/regs/generated/{name}_regs_pkg.sv", out_sv_pkg.generate),
    ("rtl/regs/generated/{name}_regs_apb.sv", out_sv_apb.generate),
    ("rtl/regs/formal/generated/{name}_regs_storage.sv", out_sv_formal.generate),
    ("docs/registers/{name}.md", out_markdown.generate),
]
# Forms for other tools, made by the build and for the hand-off package and not committed.
FORMS = [
    ("{name}.xml", out_ipxact.generate),
    ("{name}.rdl", out_systemrdl.generate),
    ("{name}.svd", out_svd.generate),
]
# The same outputs for each unit without a register block of its own.
UNIT_OUTPUTS = [
    ("rtl/{folder}/generated/{name}_{unit}_pkg.sv", out_sv_pkg.unit_packages),
    ("rtl/regs/generated/{name}_{unit}_regs.sv", out_sv_pkg.unit_modules),
]

# The address space of each machine that a host can be, with all register maps; the first is the default.
MEMORY_MAPS = [ROOT / "rtl/regs/memory_map.yaml", ROOT / "rtl/regs/memory_map_virt.yaml"]
MEMORY_MAP_OUTPUTS = [
    ("sw/driver/{stem}.h", memory_map.header),
    ("docs/registers/{stem}.md", memory_map.markdown),
]
MACHINES = "models/core/registers/generated/machine_map.cpp"


def own_maps():
    """Paths of the project's register maps."""
    return [p for p in sorted((ROOT / "rtl/regs").glob("*.yaml")) if p not in MEMORY_MAPS]


def generate_all(maps, memories=()):
    """{path relative to the root: text} of all maps; a form that a map has nothing for is left out."""
    made = {path.format(name=m.name): make(m) for m in maps for path, make in OUTPUTS}
    made.update({path.format(name=m.name, unit=unit, folder=m.units[unit]): text for m in maps
                 for path, make in UNIT_OUTPUTS for unit, text in make(m).items()})
    made.update({path.format(stem=memory.stem): make(memory)
                 for memory in memories for path, make in MEMORY_MAP_OUTPUTS})
    if memories:
        made[MACHINES] = memory_map.machines(memories)
    return {path: text for path, text in made.items() if text is not None}


def out_of_date(files, root):
    """Unified diffs of every file that differs from its text in `files`."""
    result = []
    for path, text in files.items():
        target = root / path
        old = target.read_text(encoding="utf-8") if target.exists() else ""
        if old != text:
            result.append("".join(difflib.unified_diff(
                old.splitlines(True), text.splitlines(True), path, f"{path} (generated)")))
    return result


def write(files, root):
    """Those that are new or differ; OSError for the first that cannot be written."""
    for path, text in files.items():
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        if not target.exists() or target.read_text(encoding="utf-8") != text:
            target.write_text(text, encoding="utf-8")
            print(f"wrote {path}")


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument("--check", action="store_true", help="compare, write nothing")
    mode.add_argument("--forms", type=pathlib.Path, metavar="DIR",
                      help="write IP-XACT, SystemRDL and CMSIS-SVD to DIR, and nothing else")
    mode.add_argument("--validate", action="store_true", help="read the maps, write nothing")
    parser.add_argument("--out", type=pathlib.Path, default=ROOT,
                        help="root under which files are written or compared")
    parser.add_argument("maps", nargs="*", type=pathlib.Path,
                        help="register maps; default: all in rtl/regs, and the memory maps")
    options = parser.parse_args(arguments)
    try:
        maps = [regmap.load(p) for p in options.maps or own_maps()]
        memories = [] if options.maps else [memory_map.load(p, maps) for p in MEMORY_MAPS]
    except SourceError as error:
        print(error, file=sys.stderr)
        return 2
    if options.validate:
        return 0
    if options.forms is not None:
        options.out = options.forms
        files = {path.format(name=m.name): make(m) for m in maps for path, make in FORMS}
    else:
        files = generate_all(maps, memories)
    if options.check:
        differences = out_of_date(files, options.out)
        for difference in differences:
            sys.stdout.write(difference)
        return 1 if differences else 0
    try:
        write(files, options.out)
    except OSError as error:
        print(f"{error.filename}: {error.strerror}", file=sys.stderr)
        return 2
    return 0
