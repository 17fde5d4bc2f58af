"""The register map in memory: read from YAML, checked, and in the form that all outputs use."""

from dataclasses import dataclass, field as dataclass_field
import json
import pathlib

import jsonschema

from dccvp.regtool.yaml_source import SourceError, YamlSource

SCHEMA = pathlib.Path(__file__).resolve().parents[3] / "rtl/regs/schema.json"
WORD_BITS = 32
WORD_BYTES = 4
# {number format that users write as a ratio: its fraction bits}.
FRACTIONS = {"0.16": 16, "1.16": 16}


@dataclass
class Field:
    name: str
    lsb: int
    width: int
    access: str
    reset: int
    min: int
    max: int
    description: str
    unit: str = ""
    format: str = ""
    values: dict = dataclass_field(default_factory=dict)
    parameter: str = ""  # Member of the parameters' structure, such as "gain" or "rate.gain".
    alias: str = ""      # Former name, which the headers for C, C++ and SystemVerilog still define.

    @property
    def msb(self):
        return self.lsb + self.width - 1

    @property
    def top(self):
        """Returns the greatest value that the bits of the field can hold."""
        return (1 << self.width) - 1

    @property
    def mask(self):
        return self.top << self.lsb

    @property
    def writable(self):
        return self.access != "RO"

    @property
    def limited(self):
        """True if the range of valid values is narrower than the bits of the field."""
        return self.min > 0 or self.max < self.top


@dataclass
class Register:
    """A 32-bit word: a register, or a word of a window's entry (then offset is relative to the entry)."""
    name: str
    offset: int
    access: str
    fields: list
    description: str
    source: str = "hardware"  # Source of a read-only field's value: constant, parameter, hardware, block.
    strobe: bool = False      # True: the hardware sees every write as a strobe.
    setting: str = ""         # Meaning for users who set the register directly.
    regwen: int = 0           # Mask of the write-enable bit that must be 1 for a write.
    reserved: list = dataclass_field(default_factory=list)  # Bits that have a name but no storage.

    @property
    def reset(self):
        return sum(f.reset << f.lsb for f in self.fields)

    @property
    def writable(self):
        return any(f.writable for f in self.fields)

    @property
    def readable(self):
        return any(f.access != "WO" for f in self.fields)

    @property
    def live(self):
        """True if some bits are read from the device at every access."""
        return self.source == "hardware" and any(f.access == "RO" for f in self.fields)

    @property
    def whole_parameter(self):
        """True if the register is a single parameter and has no other field."""
        return len(self.fields) == 1 and self.fields[0].parameter != ""

    def mask_of(self, *kinds):
        return sum(f.mask for f in self.fields if f.access in kinds)


@dataclass
class Window:
    name: str
    offset: int
    entries: int
    access: str
    index: str
    words: list  # list of Register, one for each word of an entry
    stride: int  # number of bytes from one entry to the next
    description: str
    structured: bool  # True if an entry has several named words.
    regwen: int = 0   # Mask of the write-enable bit, as for a register.

    @property
    def size(self):
        return self.entries * self.stride

    @property
    def writable(self):
        return self.access == "RW"


@dataclass
class Counter:
    name: str
    offset: int  # Offset of the low word; the high word follows.
    description: str


@dataclass
class RegisterMap:
    name: str
    title: str
    description: str
    address_width: int
    registers: list
    counters: list
    statistics_offset: int
    windows: list
    interrupt_status: str
    interrupt_mask: str
    interrupt_test: str  # Name of the WO register that sets causes, or "".
    error_register: str
    error_interrupt: str
    source_name: str
    base_address: int
    interrupt_number: int
    write_enable: str  # Name of the register whose bits enable writes to other registers, or "".
    # (register, field, mask): while the field is 1, these bits of write_enable lock nothing; or (), if no field opens
    # locks.
    unlock: tuple
    units: dict  # {group of parameters: folder of the hardware unit}, for units without a register block.

    @property
    def size(self):
        return 1 << self.address_width

    def register(self, name):
        return next(r for r in self.registers if r.name == name)

    def parameters(self):
        """Returns (register, field) of every parameter, sorted by address."""
        return [(r, f) for r in self.registers for f in r.fields if f.parameter]

    def groups(self):
        """Returns {group: [(member, register, field)]} of the parameters, sorted by address; key "": parameters
        without a group."""
        result = {}
        for register, field in self.parameters():
            group, _, member = field.parameter.rpartition(".")
            result.setdefault(group, []).append((member, register, field))
        return result

    def unit_registers(self):
        """Returns {unit: [(member, register, field)]}, sorted by address."""
        groups = self.groups()
        return {unit: groups[unit] for unit in self.units}

    def settings(self):
        return [r for r in self.registers if r.setting]

    def inside(self, register):
        """True for a register that only the register block itself uses."""
        return register.name in (self.interrupt_mask, self.interrupt_test)

    def commands(self):
        """Returns the registers beside the parameters whose writes the device must handle; interrupt causes, their
        mask and their test stay inside the register block."""
        return [r for r in self.registers if not self.inside(r)
                and any(f.access in ("RW", "WO") and not f.parameter for f in r.fields)]

    def counter_registers(self):
        """Returns the lo and hi words of the statistics counters as ordinary registers, sorted by address."""
        result = []
        for counter in self.counters:
            for half, shift, text in (("LO", 0, "low half; reading it latches the high half"),
                                      ("HI", 32, "high half, as latched by the last read of a low half")):
                value = Field("VALUE", 0, 32, "RO", 0, 0, 0xFFFFFFFF,
                              counter.description.rstrip(".") + ": " + text + ".")
                result.append(Register(f"STAT_{counter.name.upper()}_{half}",
                                       counter.offset + (shift // 8), "RO", [value],
                                       value.description))
        return result

    def all_registers(self):
        return sorted(self.registers + self.counter_registers(), key=lambda r: r.offset)


class _Builder:
    """Turns checked YAML into a RegisterMap; each error names file, line and field."""

    def __init__(self, source):
        self.source = source

    def fail(self, path, text):
        raise SourceError(f"{self.source.where(path)}: {text}")

    def field(self, data, path, owner, access):
        name = data.get("name", "VALUE")
        full = f"{owner}.{name}"
        lsb = data.get("lsb", 0)
        width = data.get("width", WORD_BITS)
        if lsb + width > WORD_BITS:
            self.fail(path, f"{full}: {width} bits from bit {lsb} do not fit a {WORD_BITS}-bit word")
        top = (1 << width) - 1
        result = Field(name, lsb, width, data.get("access", access), data.get("reset", 0),
                       data.get("min", 0), data.get("max", top), data["description"],
                       data.get("unit", ""), data.get("format", ""), data.get("values", {}),
                       data.get("parameter", ""), data.get("alias", ""))
        if result.max > top:
            self.fail(path + ("max",), f"{full}: max {result.max} does not fit {width} bits")
        if result.min > result.max:
            self.fail(path + ("min",), f"{full}: min {result.min} is above max {result.max}")
        if result.access in ("W0C", "W1C") and result.limited:
            self.fail(path, f"{full}: a {result.access} field has no range")
        if result.access == "WO" and "reset" in data:
            self.fail(path + ("reset",), f"{full}: a WO field reads as 0 and has no reset value")
        if result.access != "WO" and "reset" in data or result.access == "RW":
            self.within(result.reset, result, path + ("reset",), full, "reset value")
        if result.parameter and result.access != "RW":
            self.fail(path + ("parameter",), f"{full}: only a read-write field is a parameter")
        for key, value in result.values.items():
            if value > top:
                self.fail(path + ("values", key), f"{full}: value {key} does not fit {width} bits")
        return result

    def within(self, value, field, path, full, what):
        if not field.min <= value <= field.max:
            self.fail(path, f"{full}: {what} {value} is outside {field.min} ... {field.max}")

    def fields(self, data, path, owner, access):
        if "fields" in data:
            result = [self.field(f, path + ("fields", i), owner, access)
                      for i, f in enumerate(data["fields"])]
        else:
            result = [self.field({k: v for k, v in data.items()
                                  if k in ("width", "reset", "min", "max", "unit", "format",
                                           "description", "parameter")}, path, owner, access)]
        names = {}
        used = 0
        for i, f in enumerate(result):
            place = path + ("fields", i)
            if f.name in names:
                self.fail(place, f"{owner}.{f.name}: the name is given twice")
            names[f.name] = f
            if f.alias:
                if f.alias in names:
                    self.fail(place, f"{owner}.{f.alias}: the name is given twice")
                names[f.alias] = f
            if used & f.mask:
                self.fail(place, f"{owner}.{f.name}: its bits overlap another field's")
            used |= f.mask
        return sorted(result, key=lambda f: f.lsb)

    def write_enable(self, data, path):
        """Returns (mask, sentence) of the write-enable bit that guards a register or window."""
        name = data.get("regwen")
        if name is None:
            return 0, ""
        lock = self.source.data.get("write_enable", "")
        bits = next((r.get("fields", []) for r in self.source.data["registers"]
                     if r["name"] == lock), [])
        for bit in bits:
            if bit["name"] == name:
                return 1 << bit["lsb"], f" Written only while {lock}.{name} is 1."
        self.fail(path + ("regwen",), f"{data['name']}: {name} is not a bit of write_enable's register")
        return 0, ""

    def word_offset(self, value, path, name):
        if value % WORD_BYTES:
            self.fail(path + ("offset",), f"{name}: offset {value:#x} is not a multiple of 4")
        return value

    def register(self, data, path):
        name = data["name"]
        self.word_offset(data["offset"], path, name)
        regwen, sentence = self.write_enable(data, path)
        result = Register(name, data["offset"], data["access"],
                          self.fields(data, path, name, data["access"]),
                          data["description"] + sentence,
                          data.get("source", "hardware"), data.get("strobe", False),
                          data.get("setting", ""), regwen)
        result.reserved = [f for f in result.fields if f.access == "RESERVED"]
        result.fields = [f for f in result.fields if f.access != "RESERVED"]
        if any("reset" in f for f in data.get("fields", []) if f.get("access") == "RESERVED"):
            self.fail(path, f"{name}: reserved bits read as 0 and have no reset value")
        if regwen and not result.writable:
            self.fail(path + ("regwen",), f"{name}: a read-only register is never written")
        if result.setting:
            self.check_setting(result, path + ("setting",))
        if "source" in data and any(f.access != "RO" for f in result.fields):
            self.fail(path + ("source",), f"{name}: only read-only registers have a source")
        if result.strobe and not result.writable:
            self.fail(path + ("strobe",), f"{name}: a read-only register is never written")
        return result

    def check_setting(self, register, path):
        value = register.fields[0]
        if not register.whole_parameter:
            self.fail(path, f"{register.name}: only a parameter is a setting")
        if value.format not in ("", *FRACTIONS):
            self.fail(path, f"{register.name}: a setting is a number or one of the formats "
                      f"{', '.join(FRACTIONS)}, not {value.format}")

    def window(self, data, path):
        name = data["name"]
        self.word_offset(data["offset"], path, name)
        if "words" in data:
            words = []
            for i, word in enumerate(data["words"]):
                place = path + ("words", i)
                self.word_offset(word["offset"], place, f"{name}.{word['name']}")
                words.append(Register(word["name"], word["offset"], data["access"],
                                      self.fields(word, place, f"{name}.{word['name']}",
                                                  data["access"]), word["description"]))
            words.sort(key=lambda w: w.offset)
            for i, word in enumerate(words):
                if word.offset != i * WORD_BYTES:
                    self.fail(path + ("words",), f"{name}: its words leave a hole or overlap at {word.name}")
            for word in words:
                if any(other is not word and other.name == word.name for other in words):
                    self.fail(path + ("words",), f"{name}.{word.name}: the name is given twice")
        else:
            words = [Register("ENTRY", 0, data["access"],
                              self.fields(data, path, name, data["access"]), data["description"])]
        count = len(words)
        if count & (count - 1):
            self.fail(path + ("words",), f"{name}: an entry must have a power of two of words")
        stride = count * WORD_BYTES
        if data["offset"] % stride:
            self.fail(path + ("offset",), f"{name}: offset is not a multiple of an entry's {stride} bytes")
        regwen, sentence = self.write_enable(data, path)
        if regwen and data["access"] == "RO":
            self.fail(path + ("regwen",), f"{name}: a read-only window is never written")
        return Window(name, data["offset"], data["entries"], data["access"],
                      data.get("index", "entry"), words, stride, data["description"] + sentence,
                      "words" in data, regwen)

    def build(self):
        data = self.source.data
        registers = [self.register(r, ("registers", i)) for i, r in enumerate(data["registers"])]
        windows = [self.window(w, ("windows", i)) for i, w in enumerate(data.get("windows", []))]
        statistics = data.get("statistics")
        counters = []
        if statistics:
            base = statistics["offset"]
            if base % 8:
                self.fail(("statistics", "offset"), "statistics: offset is not a multiple of 8")
            counters = [Counter(c["name"], base + 8 * i, c["description"])
                        for i, c in enumerate(statistics["counters"])]
        interrupt = data.get("interrupt", {})
        errors = data.get("access_errors", {})
        result = RegisterMap(
            data["name"], data["title"], data["description"], data["address_width"],
            sorted(registers, key=lambda r: r.offset), counters,
            statistics["offset"] if statistics else 0, sorted(windows, key=lambda w: w.offset),
            interrupt.get("status", ""), interrupt.get("mask", ""), interrupt.get("test", ""),
            errors.get("register", ""), errors.get("interrupt", ""),
            pathlib.Path(self.source.path).name, data.get("base_address", 0),
            interrupt.get("number", 0), data.get("write_enable", ""), (), data.get("units", {}))
        if result.base_address % result.size:
            self.fail(("base_address",), f"base_address: not a multiple of the block's {result.size:#x} bytes")
        self.check_names(data)
        self.check_addresses(result, data)
        self.check_interrupts(result)
        self.check_write_enable(result)
        self.unlock(result, data)
        self.check_parameters(result, data)
        return result

    def check_write_enable(self, result):
        """Checks the write-enable register, whose bits must be 1 after reset and can only be cleared by software."""
        if not result.write_enable:
            return
        lock = next((r for r in result.registers if r.name == result.write_enable), None)
        if lock is None or any(f.access != "W0C" or f.width != 1 or f.reset != 1 for f in lock.fields):
            self.fail(("write_enable",), f"write_enable: {result.write_enable} is not a register of "
                      "W0C bits that are 1 after reset")

    def unlock(self, result, data):
        """Finds the field that opens locks; adds to each bit's description the registers that the bit guards."""
        if not result.write_enable:
            if "unlock" in data:
                self.fail(("unlock",), "unlock: there is no write_enable register")
            return
        lock = result.register(result.write_enable)
        bits = {f.name: f for f in lock.fields}
        for field in lock.fields:
            guarded = [r.name for r in result.registers if r.regwen == field.mask]
            guarded += [w.name for w in result.windows if w.regwen == field.mask]
            field.description += f" Guards {', '.join(guarded)}."
        if "unlock" not in data:
            return
        owner, _, name = data["unlock"]["when"].partition(".")
        opener = next((r for r in result.registers if r.name == owner), None)
        found = [f for f in opener.fields if f.name == name] if opener else []
        if (opener is None or not found or found[0].width != 1 or opener.source != "hardware"
                or found[0].access != "RO"):
            self.fail(("unlock", "when"), f"unlock: {owner}.{name} is not a read-only bit of the hardware")
        mask = 0
        for i, bit in enumerate(data["unlock"]["bits"]):
            if bit not in bits:
                self.fail(("unlock", "bits", i), f"unlock: {bit} is not a bit of {result.write_enable}")
            mask |= bits[bit].mask
            bits[bit].description += f" Guards nothing while {owner}.{name} is 1."
        result.unlock = (opener, found[0], mask)

    def check_parameters(self, result, data):
        """Checks that the names of parameter members are distinct, and that no member has the name of a group."""
        seen = {}
        for i, entry in enumerate(data["registers"]):
            places: list = [(("registers", i, "parameter"), entry)]
            places += [(("registers", i, "fields", k, "parameter"), f)
                       for k, f in enumerate(entry.get("fields", []))]
            for path, item in places:
                name = item.get("parameter", "")
                for other in seen:
                    if name and (name == other or name.startswith(other + ".")
                                 or other.startswith(name + ".")):
                        self.fail(path, f"parameter {name}: {seen[other]} has {other}")
                if name:
                    seen[name] = entry["name"]
        for unit in result.units:
            if unit not in result.groups():
                self.fail(("units", unit), f"units: no parameter is of the group {unit}")

    def check_names(self, data):
        seen = set()
        places: list = [(r["name"], ("registers", i)) for i, r in enumerate(data["registers"])]
        places += [(w["name"].upper(), ("windows", i)) for i, w in enumerate(data.get("windows", []))]
        places += [("STAT_" + c["name"].upper(), ("statistics", "counters", i))
                   for i, c in enumerate(data.get("statistics", {}).get("counters", []))]
        for name, path in places:
            if name in seen:
                self.fail(path, f"{name}: the name is given twice")
            seen.add(name)

    def check_addresses(self, result, data):
        spans: list = [(r["offset"], WORD_BYTES, r["name"], ("registers", i, "offset"))
                       for i, r in enumerate(data["registers"])]
        spans += [(c.offset, 8, c.name, ("statistics", "counters", i))
                  for i, c in enumerate(result.counters)]
        sizes = {w.name: w.size for w in result.windows}
        spans += [(w["offset"], sizes[w["name"]], w["name"], ("windows", i, "offset"))
                  for i, w in enumerate(data.get("windows", []))]
        spans.sort(key=lambda s: s[0])
        for here, after in zip(spans, spans[1:] + [None]):
            end = here[0] + here[1]
            if end > result.size:
                self.fail(here[3], f"{here[2]}: ends at {end:#x}, beyond {result.address_width} address bits")
            if after and end > after[0]:
                self.fail(after[3], f"{after[2]}: its address {after[0]:#x} belongs to {here[2]}")

    def check_interrupts(self, result):
        names = {r.name: r for r in result.registers}
        for key, name, access in (("status", result.interrupt_status, "W1C"),
                                  ("mask", result.interrupt_mask, "RW"),
                                  ("test", result.interrupt_test, "WO")):
            if name and (name not in names or names[name].access != access):
                self.fail(("interrupt", key), f"interrupt.{key}: {name} is not a {access} register")
        if result.interrupt_status:
            shape = [[(f.name, f.lsb, f.width) for f in names[n].fields]
                     for n in (result.interrupt_status, result.interrupt_mask, result.interrupt_test) if n]
            if any(one != shape[0] for one in shape):
                self.fail(("interrupt",), "interrupt: status, mask and test have different fields")
        if result.error_register:
            if result.error_register not in names or names[result.error_register].source != "block":
                self.fail(("access_errors", "register"),
                          f"access_errors.register: {result.error_register} is not a register with source: block")
            causes = [f.name for f in names[result.interrupt_status].fields] if result.interrupt_status else []
            if result.error_interrupt not in causes:
                self.fail(("access_errors", "interrupt"),
                          f"access_errors.interrupt: {result.error_interrupt} is not a cause in the interrupt status")
            wanted = ["ADDRESS", "CODE", "WRITE"]
            if [f.name for f in names[result.error_register].fields] != wanted:
                self.fail(("access_errors", "register"),
                          f"{result.error_register}: its fields must be {', '.join(wanted)}")


def _explain(source, error):
    path = list(error.absolute_path)
    name = ""
    data = source.data
    for step in path:
        data = data[step] if not isinstance(data, str) else data
        if isinstance(data, dict) and "name" in data and isinstance(data["name"], str):
            name = f"{name}.{data['name']}" if name else data["name"]
    message = error.message
    if error.validator == "not":
        message = "'fields' (or 'words') excludes width, reset, min, max, unit, format and parameter beside it"
    elif error.validator == "additionalProperties":
        unknown = [k for k in error.instance if k not in error.schema["properties"]]
        path = path + unknown[:1]
        message = (f"unknown key '{unknown[0]}'; known are "
                   + ", ".join(sorted(error.schema["properties"])))
    elif path and isinstance(path[-1], str):
        message = f"{path[-1]}: {message}"
    prefix = f"{name}: " if name else ""
    return f"{source.where(path)}: {prefix}{message}"


def read_source(path, schema_path):
    """Reads the YAML file with the places of its values; refuses a file that does not match the schema."""
    source = YamlSource(path)
    schema = json.loads(schema_path.read_text(encoding="utf-8"))
    errors = sorted(jsonschema.Draft7Validator(schema).iter_errors(source.data),
                    key=lambda e: [str(p) for p in e.absolute_path])
    if errors:
        raise SourceError("\n".join(_explain(source, e) for e in errors))
    return source


def load(path):
    """Reads and checks one map. Raises SourceError with file:line and the name of the faulty entry."""
    return _Builder(read_source(path, SCHEMA)).build()
