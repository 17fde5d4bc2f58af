"""dccvp import dts: imports device trees, as source or in binary form. dtc, the device tree compiler, reads both
forms."""

import re
import subprocess
import typing

import yaml

from dccvp.common.ending import InputError
from dccvp.importers import machine
from dccvp.importers.source import Source, base_name, name_of, quoted, read_bytes, text_of

SETTINGS = machine.SETTINGS
MOST_BYTES = 16 << 20
MAGIC = b"\xd0\x0d\xfe\xed"
PATIENCE = 60  # Time limit for dtc in seconds.
KINDS = {"sifive,clint0": "clint", "riscv,clint0": "clint", "sifive,plic-1.0.0": "plic", "riscv,plic0": "plic",
         "ns16550a": "16550", "sifive,test0": "test"}
ROMS = {"mtd-rom", "cfi-flash", "soc-nv-flash"}
RAMS = {"mmio-sram", "zephyr,memory-region"}
NO_DEVICES = {"riscv,cpu-intc", "simple-bus", "fixed-clock", "syscon", "gpio-leds", "gpio-keys"}


class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """Reads dtc's YAML, whose tags give the widths of numbers."""


def _number(loader, suffix, node):
    """Numbers of 64 bits become two cells; bytes and halfwords are left out, since no property read here has them."""
    if not isinstance(node, yaml.SequenceNode):
        return loader.construct_yaml_int(node)
    found = [loader.construct_object(one, deep=True) for one in node.value]
    if suffix == "u64":
        return [half for one in found for half in (one >> 32, one & 0xFFFF_FFFF)]
    return found if suffix not in ("u8", "u16") else []


_Loader.add_multi_constructor("!", _number)


def _dtc(words, data, name):
    """Returns the output of dtc for the data. InputError with the place for unusable data."""
    try:
        done = subprocess.run(["dtc", "-q", *words, "-"], input=data, capture_output=True, timeout=PATIENCE,
                              check=False)
    except FileNotFoundError:
        raise InputError(f"{name}:1:1: device trees are read by dtc, which is not installed (Debian's package "
                         "device-tree-compiler)") from None
    except subprocess.TimeoutExpired:
        raise InputError(f"{name}:1:1: dtc has not read the tree within {PATIENCE} s") from None
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip().split("\n")
        line = next((one for one in said if re.match(r"(Error: )?<stdin>:[0-9]", one)), said[0])
        match = re.match(r"(?:Error: )?<stdin>:([0-9]+)\.([0-9]+)(?:-[0-9.]+)?:?\s*(.*)", line)
        number, column, text = match.groups() if match else ("1", "1", re.sub(r"^(FATAL )?ERROR: ", "", line))
        text = "".join(c if c.isprintable() else "?" for c in text)[:200]
        raise InputError(f"{name}:{number}:{column}: no device tree: {text or 'dtc fails without a word'}")
    return done.stdout


def _tree(path):
    """Returns (Source of the text, root node) of a device tree. The text of a binary tree is dtc's output."""
    name, data = name_of(path), read_bytes(path)
    if len(data) > MOST_BYTES:
        raise InputError(f"{name}:1:1: larger than {MOST_BYTES >> 20} MiB")
    if data[:4] == MAGIC:
        data = _dtc(["-I", "dtb", "-O", "dts"], data, name)
        source = Source(name, data.decode("utf-8", "replace"))
    else:
        source = text_of(name, data)
    preprocessor = re.search(r"^[ \t]*#[ \t]*(?:include|define|if|ifdef|ifndef)\b", source.text, re.MULTILINE)
    if preprocessor:
        source.fail(preprocessor.start(), "a line for the C preprocessor: import what cpp -nostdinc -undef -P -x "
                    "assembler-with-cpp makes of the file")
    text = _dtc(["-I", "dts", "-O", "yaml"], data, name)
    try:
        trees = yaml.load(text, Loader=_Loader)
    except (yaml.YAMLError, RecursionError, ValueError):
        raise InputError(f"{name}:1:1: no device tree: dtc's form of the tree cannot be read") from None
    if not isinstance(trees, list) or not trees or not isinstance(trees[0], dict):
        source.fail(0, "a device tree without a root")
    return source, trees[0]


def cells(node, name):
    """Returns all numbers of a property, in one list; empty without the property, or if the property is a text."""
    found = node.get(name)
    flat: list = []
    for group in found if isinstance(found, list) else []:
        flat += [one for one in (group if isinstance(group, list) else [group]) if isinstance(one, int)]
    return flat


def texts(node, name):
    """Returns the texts of a property. dtc joins the texts of a binary tree, with a zero byte between two texts."""
    found: typing.Any = node.get(name)
    joined = [one for one in found if isinstance(one, str)] if isinstance(found, list) else []
    return [one for text in joined for one in text.split("\0")]


def one_number(values):
    """Returns the number in one cell or two; 0 for no cell."""
    return values[0] << 32 | values[1] if len(values) == 2 else values[0] if values else 0


class Reader:
    """Walks a tree and collects harts, memory and devices."""

    def __init__(self, source, root):
        self.source, self.root = source, root
        self.found = machine.Machine()
        self.ignored: list = []
        for text in texts(root, "compatible"):
            if text.startswith("dccvp,"):
                self.found.kind = text.removeprefix("dccvp,")

    def place(self, name):
        """Returns the offset of a node in the text, for messages."""
        match = re.search(rf"(?<![\w@,.]){re.escape(name)}\s*\{{", self.source.text)
        return match.start() if match else 0

    def widths(self, node, name):
        """Returns (cells of an address, cells of a size) below a node."""
        pair = []
        for key, default in (("#address-cells", 2), ("#size-cells", 1)):
            values = cells(node, key)
            width = values[0] if values else default
            if not 0 <= width <= 3:
                self.source.fail(self.place(name), f"{key} of {quoted(name)} is 0 to 3, not {width}")
            pair.append(width)
        return pair

    def regions(self, node, name, widths, translate):
        """Returns [(base, size)] of `reg`, translated to the root's addresses; (None, size) for an address that no
        range covers."""
        values, (address, size) = cells(node, "reg"), widths
        step = address + size
        if not values or address == 0:
            return []
        if len(values) % step:
            self.source.fail(self.place(name), f"reg of {quoted(name)} has {len(values)} cells, not a multiple of "
                             f"{step}")
        found = []
        for at in range(0, len(values), step):
            base, length = 0, 0
            for cell in values[at:at + address]:
                base = base << 32 | cell
            for cell in values[at + address:at + step]:
                length = length << 32 | cell
            found.append((translate(base), length))
        return found

    def ranges(self, node, name, outer, translate):
        """Returns the translation of a bus from its children's addresses to the root's."""
        inner = self.widths(node, name)
        if node.get("ranges") is True:
            return translate
        values = cells(node, "ranges")
        step = inner[0] + outer[0] + inner[1]
        if not values:
            return (lambda _: None) if "ranges" not in node else translate
        if step == 0 or len(values) % step:
            self.source.fail(self.place(name), f"ranges of {quoted(name)} has {len(values)} cells, not a multiple "
                             f"of {step}")
        spans = []
        for at in range(0, len(values), step):
            parts, to = [], at
            for width in (inner[0], outer[0], inner[1]):
                whole = 0
                for cell in values[to:to + width]:
                    whole = whole << 32 | cell
                parts.append(whole)
                to += width
            spans.append(parts)

        def within(base):
            for child, parent, size in spans:
                if child <= base < child + size:
                    return translate(parent + base - child)
            return None
        return within

    def walk(self):
        self.harts(self.root.get("cpus"))
        self.children(self.root, "/", self.widths(self.root, "/"), lambda base: base)
        return self.found

    def harts(self, cpus):
        if not isinstance(cpus, dict):
            return
        self.found.timebase = one_number(cells(cpus, "timebase-frequency"))
        for key, node in cpus.items():
            name = str(key)
            if not isinstance(node, dict) or "cpu" not in texts(node, "device_type"):
                continue
            if texts(node, "status") not in ([], ["okay"], ["ok"]):
                self.ignored.append(f"{name}: its status is {quoted(texts(node, 'status')[0])}")
                continue
            isa = next(iter(texts(node, "riscv,isa") or texts(node, "riscv,isa-base")), "")
            more = texts(node, "riscv,isa-extensions") if not texts(node, "riscv,isa") else []
            if not isa and "riscv" not in " ".join(texts(node, "compatible")):
                kinds = quoted(", ".join(texts(node, "compatible")))
                self.source.fail(self.place(name), f"{name} is no RISC-V hart: {kinds}")
            number = one_number(cells(node, "reg"))
            isa = "_".join([isa.removesuffix("i") + "i" if more else isa, *(one for one in more if one != "i")])
            self.found.harts.append(machine.Hart(number, isa, one_number(cells(node, "clock-frequency"))))

    def children(self, parent, parent_name, widths, translate):
        for key, node in parent.items():
            name = str(key)  # a node name of digits alone is read as a number from dtc's YAML
            if not isinstance(node, dict) or (parent is self.root and name in ("cpus", "chosen", "aliases")):
                continue
            if texts(node, "status") not in ([], ["okay"], ["ok"]):
                self.ignored.append(f"{name}: its status is {quoted(texts(node, 'status')[0])}")
                continue
            compatible = texts(node, "compatible")
            self.region(name, node, compatible, self.regions(node, name, widths, translate))
            if any(isinstance(child, dict) for child in node.values()):
                is_bus = "ranges" in node or "simple-bus" in compatible
                below = self.ranges(node, name, widths, translate) if is_bus else lambda _: None
                self.children(node, name, self.widths(node, name), below)

    def region(self, name, node, compatible, places):
        at, text = self.place(name), compatible[0] if compatible else "no compatible"
        kind = next((KINDS[one] for one in compatible if one in KINDS), "")
        kind = kind or next((one for one in compatible if one.startswith("dccvp,")), "")
        if "memory" in texts(node, "device_type"):
            kind = "ram"
            if not places:
                self.source.fail(at, f"memory {quoted(name)} without reg")
        elif ROMS & set(compatible):
            kind = "rom"
        elif RAMS & set(compatible):
            kind = "ram"
        interrupts = cells(node, "interrupts")
        for base, size in places[:None if kind in ("ram", "rom") else 1]:
            if base is None:
                self.ignored.append(f"{name}: on a bus whose addresses the processor does not see")
            elif size or kind in ("ram", "rom"):
                self.found.regions.append(machine.Region(name, kind, text, base, size, at,
                                                         interrupts[0] if interrupts else None))
        if not places and compatible and not NO_DEVICES & set(compatible):
            self.ignored.append(f"{name} ({text}): without an address")


def read_files(paths, settings):
    source, root = _tree(paths[0])
    if len(paths) > 1:
        raise InputError(f"{name_of(paths[1])}:1:1: dts takes one file")
    reader = Reader(source, root)
    imported = machine.imported_from(reader.walk(), source, settings)
    imported.notes.read.insert(0, f"{base_name(source.name)}: {len(reader.found.harts)} processors, "
                               f"{len(reader.found.regions)} regions")
    imported.notes.ignored += reader.ignored
    return imported
