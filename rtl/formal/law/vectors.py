"""Compares the laws' terms with the C++ model, vector by vector. Only exact equality makes the proofs meaningful."""
import random
import subprocess

import z3
from law.rules import AnyTables, Dcqcn, Limits, Proportional, Slot
from law.terms import Number, compiled, number

EVENTS = {"binding": 0, "CNP": 1, "sent": 2, "timer": 3}
LAWS = {"proportional": 0, "dcqcn": 1}
# Registers in the order of law_step.cpp: number of bits, least and greatest value (rtl/regs/dcc.yaml).
REGISTERS = {
    "cut_by_marks": (1, 0, 1), "keep_target": (1, 0, 1), "byte_counter": (1, 0, 1),
    "g": (16, 0, 65535), "r_ai": (32, 0, 2**32 - 1), "r_hai": (32, 0, 2**32 - 1), "mi": (16, 0, 65535),
    "r_min": (32, 1, 2**32 - 1), "r_max": (32, 1, 2**32 - 1), "alpha_recip": (32, 1 << 20, 2**32 - 1),
    "first_cut": (17, 0, 65536), "mark_shift": (4, 0, 10), "cut_floor": (17, 0, 65536),
    "timer_interval": (16, 1, 65535), "byte_threshold": (32, 64, 2**32 - 1), "f": (8, 0, 255),
    "decrease_period": (20, 0, 2**20 - 1), "silence": (8, 1, 255), "brisk": (7, 0, 95),
    "initial_rate": (32, 1, 2**32 - 1), "initial_alpha": (17, 0, 65536)}
CONDITIONS = ("cut_by_marks", "keep_target", "byte_counter")
CLASS = {"f_inc": 16, "f_dec": 16, "floor": 32, "ceiling": 32}
SLOT = {"rc": 32, "rt": 32, "alpha": 17, "length": 32, "t": 8, "bc": 8}
OPERANDS = {"marks": 8, "packets": 16, "delta": 20, "bytes": 32}


def registers(prefix="", fixed=None):
    """Returns terms of all registers; registers in `fixed` become constants."""
    found = {}
    for name, (bits, _, _) in REGISTERS.items():
        if fixed and name in fixed:
            value = fixed[name]
            found[name] = z3.BoolVal(bool(value)) if name in CONDITIONS else number(value)
        elif name in CONDITIONS:
            found[name] = z3.Bool(prefix + name)
        else:
            found[name] = Number.named(prefix + name, bits)
    return found


def limits(prefix=""):
    return Limits(**{name: Number.named(prefix + name, bits) for name, bits in CLASS.items()})


def slot(law, prefix=""):
    fields = {name: Number.named(prefix + name, bits) for name, bits in SLOT.items()}
    if law == "proportional":
        fields["length"] = Number.named(prefix + "length", 32, True)
    return Slot(**fields)


def operand(name, prefix=""):
    return Number.named(prefix + name, OPERANDS[name])


def event_terms(law_name, event, rules, s, c):
    """Returns the slot after the event, and the flag that the event sets."""
    marks, packets = operand("marks"), operand("packets")
    delta = operand("delta")
    if event == "timer":
        return rules.timer(s, delta, c)
    if event == "sent":
        if law_name == "dcqcn":
            return rules.sent(s, operand("bytes"), c)
        return rules.sent(s, packets), z3.BoolVal(False)
    heard = packets.low(8)
    if event == "binding":
        # A clear notification binds no slot, so this event has at least one mark.
        after, coalesced, _ = rules.cnp(rules.bound(c), marks, heard, z3.BoolVal(True), number(0), c)
        return after, coalesced
    after, coalesced, _ = rules.cnp(s, marks, heard, z3.BoolVal(False), delta, c)
    if law_name == "dcqcn":
        return after, coalesced
    clear = marks == 0
    return rules.choose(clear, rules.clear(s), after), z3.And(z3.Not(clear), coalesced)


def functions(law_name, broken=""):
    made = {}
    for event in EVENTS:
        tables = AnyTables()
        rules = (Dcqcn if law_name == "dcqcn" else Proportional)(registers(), tables, broken)
        after, flag = event_terms(law_name, event, rules, slot(law_name), limits())
        outputs = [getattr(after, f) for f in after.names()] + [flag]
        inputs = [*REGISTERS, *CLASS, *SLOT, *OPERANDS]
        made[event] = compiled(event, inputs, list(tables.functions), outputs)
    return made


class Draw:
    """Random values with frequent corner cases: both ends of a range, powers of two and their neighbours, small
    values and nearly equal ones."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def value(self, low, high):
        pick = self.random.randrange(8)
        if pick == 0:
            return self.random.choice((low, high))
        if pick == 1:
            near = (1 << self.random.randrange(high.bit_length() + 1)) + self.random.randrange(-2, 3)
        elif pick <= 4:
            near = self.random.getrandbits(self.random.randrange(1, high.bit_length() + 1))
        else:
            near = self.random.randint(low, high)
        return min(high, max(low, near))

    def registers(self, law):
        values = {name: self.value(low, high) for name, (_, low, high) in REGISTERS.items()}
        if self.random.randrange(2):  # half of the draws are register values as the driver writes them
            values.update(r_ai=self.value(100, 20000), r_hai=self.value(1000, 300000), r_min=self.value(1, 30000),
                          r_max=self.value(1 << 20, 1 << 28), first_cut=self.random.choice((0, 2341, 2731)),
                          mark_shift=self.random.choice((6, 8, 10)), timer_interval=self.value(1, 600),
                          f=self.value(0, 7), decrease_period=self.value(0, 60), cut_floor=0, mi=0,
                          cut_by_marks=int(law == "proportional"))
        return values

    def limits(self, r):
        floor = self.random.choice((0, 0, self.value(0, r["r_max"])))
        ceiling = self.random.choice((2**32 - 1, 2**32 - 1, self.value(0, 2**32 - 1)))
        return {"f_inc": self.value(0, 65535), "f_dec": self.random.choice((4096, self.value(0, 65535))),
                "floor": floor, "ceiling": ceiling}

    def slot(self, law, r):
        some = self.random
        low, high = min(r["r_min"], r["r_max"]), max(r["r_min"], r["r_max"])
        rc = self.value(low, high) if some.randrange(4) else self.value(0, 2**32 - 1)
        values = {"rc": rc, "rt": some.choice((rc, self.value(low, high), self.value(0, 2**32 - 1))),
                  "alpha": self.value(0, 65536), "t": self.value(0, 255), "bc": self.value(0, 255),
                  "length": self.value(0, 2**32 - 1)}
        if law == "proportional":
            values["t"] = some.choice((0, 1, 2, self.value(0, 160), 160, 161, 255, self.value(0, 255)))
            values["length"] = self.value(0, (1 << 27) - 1) * some.choice((1, -1))
            if 1 <= values["t"] <= 160:
                values.update(alpha=some.randrange(2), length=0)
            if some.randrange(3) == 0:  # an account close to the limit at which owed marks begin a rate hold
                owed = 4 * values["rt"] // max(1, r["r_hai"]) + 8
                values["length"] = -min(1 << 27, max(0, 256 * owed + some.randrange(-300, 700)))
        return values

    def operands(self, law, r):
        marks = self.value(1, 255)
        if law == "proportional" and self.random.randrange(12) == 0:
            marks = 0
        packets = self.random.choice((0, 255, marks, min(255, marks + 1), self.value(0, 255)))
        delta = self.random.choice((0, self.value(0, 2**20 - 1), r["timer_interval"] + self.random.randrange(-2, 3),
                                    r["decrease_period"] + self.random.randrange(-2, 3)))
        size = self.random.choice((self.value(1, 9000), self.value(1, 2**32 - 1)))
        return {"marks": marks, "packets": packets, "delta": min(2**20 - 1, max(0, delta)), "bytes": size}

    def tables(self):
        """Random contents of the three tables, or the contents that the driver writes."""
        step = self.random.choice((0, 0, 1024, 128, 64))
        line = [max(0, 65536 - i * step) for i in range(257)]
        decrease = line if step else [self.value(0, 65536) for _ in range(257)]
        return {"decay_hi": [self.value(0, 65536) for _ in range(64)],
                "decay_lo": [self.value(0, 65536) for _ in range(64)], "decrease": decrease}


TABLE_NUMBERS = {"decay_hi": 3, "decay_lo": 4, "decrease": 5}
BLOCK = 2000  # number of vectors that share the same tables


def compare(program, amount, seed=1, broken=""):
    """Compares the given number of vectors. Returns that number, and the first few vectors that differ, as texts."""
    draw = Draw(seed)
    made = {law: functions(law, broken) for law in LAWS}
    lines, wanted = [], []
    for k in range(amount):
        if k % BLOCK == 0:
            tables = draw.tables()
            lines += [f"t {TABLE_NUMBERS[name]} {i} {word}" for name, words in tables.items()
                      for i, word in enumerate(words)]
        law = draw.random.choice(list(LAWS))
        event = draw.random.choice(("CNP", "CNP", "timer", "timer", "sent", "binding"))
        r = draw.registers(law)
        values = {**r, **draw.limits(r), **draw.slot(law, r), **draw.operands(law, r)}
        if event == "binding":
            values["marks"] = max(1, values["marks"])
        if event == "sent":
            values["packets"] = draw.value(1, 65535 if draw.random.randrange(4) else 3)
        inputs = [values[name] for name in (*REGISTERS, *CLASS, *SLOT, *OPERANDS)]
        # The compiled terms take bit patterns, so negative values become 32-bit patterns.
        bits = [v & 0xFFFFFFFF for v in inputs]
        after = list(made[law][event](*bits, *(tables[t] for t in ("decrease", "decay_hi", "decay_lo"))))
        after[3] &= 0xFFFFFFFF
        lines.append(f"v {LAWS[law]} {EVENTS[event]} " + " ".join(map(str, inputs)))
        wanted.append((law, event, values, after))
    result = subprocess.run([program], input="\n".join(lines) + "\n", capture_output=True, text=True, check=True)
    given = [list(map(int, line.split())) for line in result.stdout.splitlines()]
    differ = [f"{law}, {event}, {values}: the terms give {after}, the model {model}"
              for (law, event, values, after), model in zip(wanted, given) if after != model]
    if len(given) != amount:
        differ.append(f"the model answered {len(given)} of {amount} vectors")
    return amount, differ
