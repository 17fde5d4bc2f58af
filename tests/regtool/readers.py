"""Reads every form of a register map, each with a reader of its own, into one common form.

{name: Entry}: a register "CTRL", a counter's word "STAT_X_LO", a table "FACTOR", a word of a
structured table "SLOTS.RATE". Nothing here shares code with the tool that wrote the files.
"""

import atexit
import dataclasses
import functools
import pathlib
import re
import subprocess
import tempfile
import xml.etree.ElementTree as ElementTree

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
GENERATED = ROOT / "rtl/regs/generated"


@functools.lru_cache(maxsize=None)
def made(option):
    """Returns the folder with the outputs of regtool's `option`, which this run of the tests has generated."""
    folder = tempfile.TemporaryDirectory()
    subprocess.run([ROOT / "python/tool.py", "regtool", option, folder.name], check=True, stdout=subprocess.DEVNULL)
    atexit.register(folder.cleanup)
    return pathlib.Path(folder.name)


def forms():
    """Returns the folder with the exchange forms."""
    return made("--forms")


def code():
    """Returns the include folder with the sources in C and C++."""
    return made("--code")


@dataclasses.dataclass
class Bits:
    lsb: int
    width: int
    access: str = None  # access of the field; None: the form states none
    reset: int = None
    range: tuple = None  # range of the field; None: all its bits, or not stated
    values: dict = dataclasses.field(default_factory=dict)


@dataclasses.dataclass
class Entry:
    address: int
    fields: dict
    count: int = 1
    stride: int = 4
    reset: int = None


def other_names(name):
    """Returns {(register, name): (lsb, width)} of reserved bits, and of former names of fields."""
    data = yaml.safe_load((ROOT / f"rtl/regs/{name}.yaml").read_text(encoding="utf-8"))
    result = {}
    for r in data["registers"]:
        for f in r.get("fields", []):
            if f.get("access") == "RESERVED":
                result[r["name"], f["name"]] = (f["lsb"], f["width"])
            if "alias" in f:
                result[r["name"], f["alias"]] = (f["lsb"], f["width"])
    return result


def source(name):
    """Returns the entries of the YAML source, expanded without the tool."""
    data = yaml.safe_load((ROOT / f"rtl/regs/{name}.yaml").read_text(encoding="utf-8"))
    result = {}

    def bits(f, access):
        width = f.get("width", 32)
        top = (1 << width) - 1
        low, high = f.get("min", 0), f.get("max", top)
        kind = f.get("access", access)
        return Bits(f.get("lsb", 0), width, kind, None if kind == "WO" else f.get("reset", 0),
                    (low, high) if (low, high) != (0, top) else None, f.get("values", {}))

    def fields(owner, access):
        if "fields" in owner:
            return {f["name"]: bits(f, access) for f in owner["fields"]
                    if f.get("access") != "RESERVED"}
        return {"VALUE": bits(owner, access)}

    for r in data["registers"]:
        entry = Entry(r["offset"], fields(r, r["access"]))
        entry.reset = sum((f.reset or 0) << f.lsb for f in entry.fields.values())
        result[r["name"]] = entry
    statistics = data.get("statistics", {"offset": 0, "counters": []})
    for i, c in enumerate(statistics["counters"]):
        for half, step in (("LO", 0), ("HI", 4)):
            result[f"STAT_{c['name'].upper()}_{half}"] = Entry(
                statistics["offset"] + 8 * i + step, {"VALUE": Bits(0, 32, "RO", 0)}, reset=0)
    for w in data.get("windows", []):
        name = w["name"].upper()
        if "words" in w:
            stride = 4 * len(w["words"])
            for word in w["words"]:
                result[f"{name}.{word['name']}"] = Entry(
                    w["offset"] + word["offset"], fields(word, w["access"]), w["entries"], stride)
        else:
            result[name] = Entry(w["offset"], fields(w, w["access"]), w["entries"], 4)
    return result


def unit(name, unit, folder):
    """Of a unit without a register block: members and bits of its struct, their sum as stated, {member:
    member of the register block's struct}, and the members that the C++ walk visits."""
    package = (ROOT / f"rtl/{folder}/generated/{name}_{unit}_pkg.sv").read_text(encoding="utf-8")
    struct = [(m[2], int(m[1] or 0) + 1)
              for m in re.finditer(r"^ +logic (?:\[(\d+):0\])? *(\w+);", package, re.M)]
    module = (GENERATED / f"{name}_{unit}_regs.sv").read_text(encoding="utf-8")
    connected = dict(re.findall(r"assign regs_o\.(\w+) = reg2hw_i\.(\w+);", module))
    header = (code() / f"registers/generated/{name}_parameters.h").read_text(encoding="utf-8")
    walk = header.split(f"void each_{unit}_register", 1)[1]
    visited = [(m[1], m[2], int(m[3]))
               for m in re.finditer(r'visit\("(\w+)", p\.(\w+), (\d+)u, \w+\);', walk)]
    return struct, int(re.search(r"RegsWidth = (\d+);", package)[1]), connected, visited


def _number(text):
    text = text.strip().replace("_", "")
    if "'h" in text:
        return int(text.split("'h")[1], 16)
    if "'d" in text:
        return int(text.split("'d")[1])
    return int(text.rstrip("uU"), 0)


# Readers of the XML forms.

def _local(element):
    return element.tag.split("}")[-1]


def _child(element, *names):
    for name in names:
        element = next((c for c in element if _local(c) == name), None)
        if element is None:
            return None
    return element


def _text(element, *names):
    found = _child(element, *names)
    return None if found is None else found.text


def _children(element, name):
    return [] if element is None else [c for c in element if _local(c) == name]


CLEARS = {"oneToClear": "W1C", "zeroToClear": "W0C"}
XML_ACCESS = {"read-only": "RO", "read-write": "RW", "write-only": "WO"}


def _enumerated(field, value):
    return {_text(e, "name"): _number(_text(e, "value"))
            for e in _children(_child(field, "enumeratedValues"), value)}


def _namespace(element):
    return element.tag.split("}")[0]


def ipxact(name, edition=""):
    tree = ElementTree.parse(forms() / f"{name}{edition}.xml").getroot()
    if not _namespace(tree).endswith(edition.lstrip("_") or "2014"):
        raise ValueError(f"IP-XACT: the namespace is {tree.tag}")
    block = _child(tree, "memoryMaps", "memoryMap", "addressBlock")
    result = {}

    def array(element, *names):
        return _text(element, *(("array",) if edition else ()), *names)

    def register(element, prefix, base, count, stride):
        fields = {}
        for f in _children(element, "field"):
            policy = _child(f, "fieldAccessPolicies", "fieldAccessPolicy") if edition else f
            access = XML_ACCESS[_text(policy, "access")]
            access = CLEARS.get(_text(policy, "modifiedWriteValue"), access)
            low = _text(policy, "writeValueConstraint", "minimum")
            high = _text(policy, "writeValueConstraint", "maximum")
            reset = _text(f, "resets", "reset", "value")
            fields[_text(f, "name")] = Bits(
                int(_text(f, "bitOffset")), int(_text(f, "bitWidth")), access,
                None if reset is None else _number(reset),
                None if low is None else (int(low), int(high)),
                _enumerated(f, "enumeratedValue"))
        dim = array(element, "dim")
        result[prefix + _text(element, "name")] = Entry(
            base + _number(_text(element, "addressOffset")), fields,
            int(dim) if dim else count, _number(array(element, "stride")) if dim and edition else stride)

    for element in block:
        if _local(element) == "register":
            register(element, "", _number(_text(block, "baseAddress")), 1, 4)
        elif _local(element) == "registerFile":
            for inner in _children(element, "register"):
                register(inner, _text(element, "name") + ".",
                         _number(_text(element, "addressOffset")), int(array(element, "dim")),
                         _number(array(element, "stride") if edition else _text(element, "range")))
    return result


def uvm(name, wanted):
    """Returns the entries of UVM's register model, and {name: (address, words, access)} of its memories. The names of
    `wanted` tell registers from arrays of registers."""
    text = (forms() / f"{name}_uvm_pkg.sv").read_text(encoding="utf-8")
    classes = {}
    for kind, body in re.findall(r"^  class (\w+) extends uvm_reg;(.*?)^  endclass", text, re.M | re.S):
        limits = {field: (int(low), int(high)) for field, low, high in re.findall(
            r"(\w+)\.value >= \d+'d(\d+); \w+\.value <= \d+'d(\d+);", body)}
        classes[kind] = {
            field.rstrip("_").upper(): Bits(int(lsb), int(width), access, int(value, 16) if int(known) else None,
                                            limits.get(field))
            for field, width, lsb, access, value, known in re.findall(
                r"(\w+)\.configure\(this, (\d+), (\d+), \"(\w+)\", \d, \d+'h(\w+), (\d),", body)}
        if set(re.findall(r"rand uvm_reg_field (\w+);", body)) != set(re.findall(r"(\w+)\.configure", body)):
            raise ValueError(f"UVM: fields of {kind}")
    kinds = {m[2]: (m[1], int(m[3] or 1)) for m in re.finditer(r"^    rand (\w+_reg) (\w+)(?:\[(\d+)\])?;", text, re.M)}
    places = {m[1]: int(m[2], 16) for m in re.finditer(r"add_reg\((\w+)(?:\[i\])?, 'h(\w+)", text)}
    if set(kinds) != set(places):
        raise ValueError("UVM: registers without a place in the map")
    found = {}
    for member, (kind, count) in kinds.items():
        key = member.rstrip("_").upper()
        if key not in wanted:
            raise ValueError(f"UVM: no register {key}")
        found[key] = Entry(places[member], classes[kind], count, 4)
    return found, {m[1].upper(): (int(m[2], 16), m[3]) for m in re.finditer(
        r"add_mem\((\w+), 'h(\w+), \"(\w+)\"\)", text)}


def svd(name):
    tree = ElementTree.parse(forms() / f"{name}.svd").getroot()
    registers = tree.find("peripherals/peripheral/registers")
    result = {}

    def register(element, prefix, base, count, stride):
        fields = {}
        for f in element.findall("fields/field"):
            access = XML_ACCESS[f.findtext("access")]
            access = CLEARS.get(f.findtext("modifiedWriteValues"), access)
            low = f.findtext("writeConstraint/range/minimum")
            high = f.findtext("writeConstraint/range/maximum")
            fields[f.findtext("name")] = Bits(
                int(f.findtext("bitOffset")), int(f.findtext("bitWidth")), access, None,
                None if low is None else (int(low), int(high)), _enumerated(f, "enumeratedValue"))
        dim = element.findtext("dim")
        if dim:
            count, stride = int(dim), _number(element.findtext("dimIncrement"))
        entry = Entry(base + _number(element.findtext("addressOffset")), fields, count, stride)
        entry.reset = _number(element.findtext("resetValue"))
        result[prefix + element.findtext("name").replace("[%s]", "")] = entry

    for element in registers:
        if element.tag == "register":
            register(element, "", 0, 1, 4)
        else:
            for inner in element.findall("register"):
                register(inner, element.findtext("name").replace("[%s]", "") + ".",
                         _number(element.findtext("addressOffset")), int(element.findtext("dim")),
                         _number(element.findtext("dimIncrement")))
    return result


# Reader of SystemRDL.

class Rdl:
    """Reads the part of SystemRDL 2.0 that a register map needs: nested anonymous components, enums,
    property assignments, instances with ranges, addresses, strides and reset values."""

    TOKEN = re.compile(r'\s+|//[^\n]*|/\*.*?\*/|(?P<string>"(?:[^"\\]|\\.)*")'
                       r"|(?P<number>\d+'[hdb][0-9A-Fa-f_]+|0x[0-9A-Fa-f]+|\d+)"
                       r"|(?P<word>[A-Za-z_]\w*)|(?P<mark>\+=|[{}\[\]();:=@,])", re.S)

    def __init__(self, text):
        self.tokens = []
        at = 0
        while at < len(text):
            match = self.TOKEN.match(text, at)
            if not match:
                raise ValueError(f"SystemRDL: cannot read at {text[at:at + 30]!r}")
            at = match.end()
            if match.lastgroup:
                self.tokens.append((match.lastgroup, match.group()))
        self.at = 0
        self.result = {}

    def peek(self):
        return self.tokens[self.at][1] if self.at < len(self.tokens) else None

    def take(self, wanted=None):
        kind, text = self.tokens[self.at]
        if wanted is not None and text != wanted:
            raise ValueError(f"SystemRDL: {text!r} instead of {wanted!r}")
        self.at += 1
        return text

    def skip_to(self, mark):
        while self.take() != mark:
            pass

    def read(self):
        while self.peek() == "property":
            self.skip_to("}")
            self.take(";")
        self.take("addrmap")
        self.take()
        self.body("addrmap", "", 0, 1, 4)
        self.take(";")
        if self.peek() is not None:
            raise ValueError("SystemRDL: something follows the address map")
        return self.result

    def body(self, kind, prefix, base, count, stride):
        """Reads {...}; returns (properties, fields) of a reg, properties of a field."""
        properties, fields, enums, children = {}, {}, {}, []
        self.take("{")
        while self.peek() != "}":
            word = self.take()
            if word == "default":
                self.skip_to(";")
            elif word == "enum":
                name = self.take()
                self.take("{")
                enums[name] = {}
                while self.peek() != "}":
                    member = self.take()
                    self.take("=")
                    enums[name][member] = _number(self.take())
                    self.take(";")
                self.take("}")
                self.take(";")
            elif word in ("reg", "field", "regfile"):
                children.append((word, self.body(word, prefix, base, count, stride), self.instance()))
            elif self.peek() == "=":
                self.take("=")
                properties[word] = self.take()
                self.take(";")
            else:
                properties[word] = True
                self.take(";")
        self.take("}")
        if kind == "reg":
            for _, field, (name, ranges, _, _, reset) in children:
                fields[name] = self.bits(field[0], ranges[0], reset, enums)
        if kind == "addrmap":
            self.place(children)
        return properties, fields, children

    def instance(self):
        name = self.take()
        ranges, address, stride, reset = [], None, 4, None
        while self.peek() != ";":
            mark = self.take()
            if mark == "[":
                first = _number(self.take())
                last = None
                if self.peek() == ":":
                    self.take(":")
                    last = _number(self.take())
                self.take("]")
                ranges.append((first, last))
            elif mark == "@":
                address = _number(self.take())
            elif mark == "+=":
                stride = _number(self.take())
            elif mark == "=":
                reset = _number(self.take())
            else:
                raise ValueError(f"SystemRDL: {mark!r} in an instance")
        self.take(";")
        return name, ranges, address, stride, reset

    @staticmethod
    def bits(properties, bounds, reset, enums):
        access = {"r": "RO", "rw": "RW", "w": "WO"}[properties["sw"]]
        if "woclr" in properties:
            access = "W1C"
        if "wzc" in properties:
            access = "W0C"
        limits = None
        if "min_value" in properties:
            limits = (_number(properties["min_value"]), _number(properties["max_value"]))
        return Bits(bounds[1], bounds[0] - bounds[1] + 1, access, reset, limits,
                    enums.get(properties.get("encode"), {}))

    def place(self, children):
        for kind, body, (name, ranges, address, stride, _) in children:
            count = ranges[0][0] if ranges else 1
            if kind == "reg":
                self.result[name] = Entry(address, body[1], count, stride)
                continue
            for _, inner, (inner_name, _, inner_address, _, _) in body[2]:
                self.result[f"{name}.{inner_name}"] = Entry(address + inner_address, inner[1], count,
                                                            stride)


def systemrdl(name):
    return Rdl((forms() / f"{name}.rdl").read_text(encoding="utf-8")).read()


# Constants are matched by name, so the reader asks for the names that the source uses.

def _camel(name):
    return "".join(p.capitalize() for p in name.split("_"))


def c_header(name, wanted):
    text = (code() / f"driver/{name}_regs.h").read_text(encoding="utf-8")
    macros = {m[1]: _number(m[2]) for m in re.finditer(r"^#define (\w+)\s+(\w+)$", text, re.M)}
    used = set()

    def macro(*parts):
        key = "_".join((name.upper(),) + parts)
        used.add(key)
        return macros.get(key)

    result = {}
    for key, entry in wanted.items():
        counter = key.startswith("STAT_")
        table = entry.count > 1
        owner = key.split(".")[0]
        parts = tuple(key.split("."))
        base = macro(owner, "OFFSET")
        if "." in key:
            base += macro(*parts, "WORD_OFFSET")
        found = Entry(base, {}, macro(owner, "ENTRIES") if table else 1,
                      macro(owner, "STRIDE") if table else 4)
        if not table and not counter:
            found.reset = macro(owner, "RESET")
        for f, bits in entry.fields.items():
            if counter:
                found.fields[f] = Bits(0, 32)
                continue
            shift, width, mask = (macro(*parts, f, k) for k in ("SHIFT", "WIDTH", "MASK"))
            if mask != ((1 << width) - 1) << shift:
                raise ValueError(f"{key}.{f}: mask and width differ")
            limits = (macro(*parts, f, "MIN"), macro(*parts, f, "MAX"))
            found.fields[f] = Bits(shift, width, None, None, None if None in limits else limits,
                                   {v: macro(*parts, f, v) for v in bits.values})
        result[key] = found
    for (register, field), (lsb, width) in other_names(name).items():
        values = tuple(macro(register, field, k) for k in ("SHIFT", "WIDTH", "MASK"))
        if values != (lsb, width, ((1 << width) - 1) << lsb):
            raise ValueError(f"{register}.{field}: {values}")
    leftover = {k for k in macros if k not in used}
    return result, leftover


def parameters(name):
    """Returns {member: (register, field, Bits)} of the parameters in the YAML."""
    data = yaml.safe_load((ROOT / f"rtl/regs/{name}.yaml").read_text(encoding="utf-8"))
    bits = source(name)
    result = {}
    for r in data["registers"]:
        for f in r.get("fields", [r | {"name": "VALUE"}]):
            if "parameter" in f:
                result[f["parameter"]] = (r["name"], f["name"], bits[r["name"]].fields[f["name"]])
    return result


def cpp_parameters(name):
    """Returns {member: initial value} of the structures, and {member: (register, field)} that the decoder reads."""
    folder = code() / "registers/generated"
    text = (folder / f"{name}_parameters.h").read_text(encoding="utf-8")
    structures = {m[1]: dict(re.findall(r"^  (?:bool|std::uint\d+_t) (\w+) = (\w+);$", m[2], re.M))
                  for m in re.finditer(r"struct (\w+) \{(.*?)^\};", text, re.M | re.S)}
    initial = dict(structures["Parameters"])
    for kind, group in re.findall(r"^  (\w+Parameters) (\w+);$", text, re.M):
        initial.update({f"{group}.{member}": value for member, value in structures[kind].items()})
    values = {m: {"true": 1, "false": 0}.get(v) if v in ("true", "false") else int(v)
              for m, v in initial.items()}
    text = (folder / f"{name}_map.cpp").read_text(encoding="utf-8")
    decoded = {}
    for case in re.finditer(r"^    case (k\w+):\n((?:      p\..*\n)+)      return;", text, re.M):
        for m in re.finditer(r"p\.([\w.]+) = .*\(value & (\w+)_MASK\)", case[2]):
            decoded[m[1]] = (case[1], m[2])
    return values, decoded


def settings(name):
    """{member: (type, reset, fraction bits)} and {member: (min, max)} of the registers that users set
    as they are, from the YAML and from the generated files; and the members that are programmed."""
    data = yaml.safe_load((ROOT / f"rtl/regs/{name}.yaml").read_text(encoding="utf-8"))
    wanted, limits = {}, {}
    for r in data["registers"]:
        if "setting" in r:
            bits = int(r["format"].split(".")[1]) if "format" in r else 0
            member = r["name"].lower()
            wanted[member] = ("Ratio" if bits else "unsigned", r["reset"], bits)
            limits[member] = (r.get("min", 0), r.get("max", (1 << r["width"]) - 1))
    folder = code() / "registers/generated"
    if not wanted:
        return wanted, limits, {}, {}, []
    header = (folder / f"{name}_settings.h").read_text(encoding="utf-8")
    found = {m[1]: ("Ratio", int(m[2]), int(m[3]).bit_length() - 1)
             for m in re.finditer(r"^  Ratio (\w+)\{(\d+), (\d+)\};$", header, re.M)}
    found.update({m[1]: ("unsigned", int(m[2]), 0)
                  for m in re.finditer(r"^  unsigned (\w+) = (\d+);$", header, re.M)})
    text = (folder / f"{name}_settings.cpp").read_text(encoding="utf-8")
    ranges = {m[1]: (int(m[2]), int(m[3])) for m in re.finditer(
        r'v\.field\("\w+", (\w+), \{(?:Ratio\()?(\d+)[^}]*?, (?:Ratio\()?(\d+)(?:u|, \d+\))\},', text)}
    programmed = re.findall(r"^  registers\.(\w+) = .*\b\1\b", text, re.M)
    return wanted, limits, found, ranges, programmed


def c_parameters(name):
    """Returns [(member, smallest, greatest, reset)] of the driver's structure, in its order."""
    text = (code() / f"driver/{name}_regs.h").read_text(encoding="utf-8")
    members = re.search(rf"struct {name}_parameters \{{(.*?)\}};", text, re.S)[1]
    text = text.replace("\\\n", "")
    resets = re.search(r"_PARAMETERS_RESET \{(.*)\}", text)[1].split(",")
    rows = re.findall(r"  X\((\w+), (\w+), (\w+), (\w+), +\"(\w+) is outside", text)
    if [r[1] for r in rows] != re.findall(r"uint32_t (\w+);", members) or len(resets) != len(rows):
        raise ValueError(f"{name}: structure, list and initialiser differ")
    return [(row[0], _number(row[2]), _number(row[3]), _number(reset))
            for row, reset in zip(rows, resets)]


def c_statistics(name):
    """Returns members of the driver's structure of statistics, and (NAME, member) of its list."""
    text = (code() / f"driver/{name}_regs.h").read_text(encoding="utf-8")
    members = re.search(rf"struct {name}_statistics \{{(.*?)\}};", text, re.S)[1]
    rows = re.search(r"_FOR_EACH_STATISTIC\(X\) \\\n((?:  X.*\n)+)", text)[1]
    return re.findall(r"uint64_t (\w+);", members), re.findall(r"X\((\w+), (\w+)\)", rows)


def sv_package(name, wanted):
    text = (GENERATED / f"{name}_regs_pkg.sv").read_text(encoding="utf-8")
    constants = {m[1]: _number(m[2]) for m in
                 re.finditer(r"^\s*localparam [\w\s\[\]:]*?(\w+)\s*=\s*([\w']+);", text, re.M)}
    used = set()

    def constant(key):
        used.add(key)
        return constants.get(key)

    result = {}
    for key, entry in wanted.items():
        owner = _camel(key.split(".")[0])
        prefix = "".join(_camel(p) for p in key.split("."))
        table = entry.count > 1
        base = constant(owner + "Offset")
        if "." in key:
            base += 4 * constant(prefix + "Word")
        found = Entry(base, {}, constant(owner + "Entries") if table else 1,
                      4 * constant(owner + "Words") if table else 4)
        if not table:
            found.reset = constant(owner + "Reset")
        for f, bits in entry.fields.items():
            found.fields[f] = Bits(constant(prefix + _camel(f) + "Lsb"),
                                   constant(prefix + _camel(f) + "Width"), None, None, None,
                                   {v: constant(prefix + _camel(f) + _camel(v)) for v in bits.values})
        result[key] = found
    for (register, field), bits in other_names(name).items():
        prefix = _camel(register) + _camel(field)
        if (constant(prefix + "Lsb"), constant(prefix + "Width")) != bits:
            raise ValueError(f"{register}.{field}: its place differs")
    return result, {k for k in constants if k not in used}
