"""Integers as bit-vector terms that cannot overflow, and z3 terms as Python functions.

A sum or product of Numbers is as wide as its greatest value needs, so a rule written with Numbers has its
arithmetic meaning. Where hardware and model limit a width, fit() cuts the number down to that width and keeps the
condition under which no bit is lost; these conditions are proved together with the properties.
"""
import operator

import z3


def _compared(with_sign, without):
    """Returns a method that compares two numbers by one of two functions of z3."""
    def compare(self, other):
        a, b, signed = self.both(other)
        return with_sign(a, b) if signed else without(a, b)
    return compare


class Number:
    """An integer: a bit vector that is wide enough for all its values, with a sign bit if negative values are
    possible."""

    def __init__(self, term, signed=False):
        self.term, self.signed = term, signed

    @staticmethod
    def constant(value):
        return Number(z3.BitVecVal(value, max(1, value.bit_length()) + (value < 0)), value < 0)

    @staticmethod
    def named(name, bits, signed=False):
        return Number(z3.BitVec(name, bits), signed)

    @property
    def bits(self):
        return self.term.size()

    def wide(self, bits):
        if self.bits == bits:
            return self.term
        return (z3.SignExt if self.signed else z3.ZeroExt)(bits - self.bits, self.term)

    def both(self, other, more=0, signed=False):
        """Extends two numbers to terms of the same width; returns both terms, and whether they are signed."""
        other = number(other)
        signed = signed or self.signed or other.signed
        bits = max(n.bits + (signed and not n.signed) for n in (self, other)) + more
        return self.wide(bits), other.wide(bits), signed

    def __add__(self, other):
        a, b, signed = self.both(other, 1)
        return Number(a + b, signed)

    def __sub__(self, other):
        a, b, _ = self.both(other, 1, True)
        return Number(a - b, True)

    def __mul__(self, other):
        other = number(other)
        signed = self.signed or other.signed
        bits = sum(n.bits + (signed and not n.signed) for n in (self, other))
        return Number(self.wide(bits) * other.wide(bits), signed)

    def __rmul__(self, other):
        return number(other) * self

    def __radd__(self, other):
        return number(other) + self

    def __rsub__(self, other):
        return number(other) - self

    def __lshift__(self, places):
        """Shifts left by a constant number of places."""
        return Number(z3.Concat(self.term, z3.BitVecVal(0, places)), self.signed) if places else self

    def __rshift__(self, places):
        """Shifts right by a constant number of places, rounding down; the result is narrower by as many bits."""
        if places >= self.bits:
            return Number(z3.Extract(self.bits - 1, self.bits - 1, self.term), True) if self.signed else number(0)
        return Number(z3.Extract(self.bits - 1, places, self.term), self.signed) if places else self

    def shifted_right(self, places, most):
        """Shifts right by a Number of places from 0 to `most`."""
        return self._shifted(operator.rshift, places, most)

    def shifted_left(self, places, most):
        return self._shifted(operator.lshift, places, most)

    def _shifted(self, shift, places, most):
        result = self
        for k in range(1, most + 1):
            result = either(places == k, shift(self, k), result)
        return result

    def low(self, bits):
        """Returns the lowest bits as a number without a sign."""
        if self.bits <= bits and not self.signed:
            return self
        return Number(z3.Extract(bits - 1, 0, self.wide(max(self.bits, bits))))

    __lt__ = _compared(operator.lt, z3.ULT)
    __le__ = _compared(operator.le, z3.ULE)
    __gt__ = _compared(operator.gt, z3.UGT)
    __ge__ = _compared(operator.ge, z3.UGE)
    __eq__ = _compared(operator.eq, operator.eq)
    __ne__ = _compared(operator.ne, operator.ne)
    __hash__ = None  # type: ignore[assignment]


def number(value):
    return value if isinstance(value, Number) else Number.constant(value)


def either(condition, yes, no):
    """Returns the number `yes` where the condition holds, and `no` elsewhere."""
    a, b, signed = number(yes).both(no)
    return Number(z3.If(condition, a, b), signed)


def least(a, b):
    return either(number(a) <= b, a, b)


def greatest(a, b):
    larger = either(number(a) >= b, a, b)
    return larger.low(larger.bits - 1) if larger.signed and not (number(a).signed and number(b).signed) else larger


def clamp(value, low, high):
    return greatest(low, least(value, high))


def within(value, low, high):
    return z3.And(number(value) >= low, number(value) <= high)


class Widths:
    """Collects the conditions under which no value is cut off at a width of the hardware or of the model."""

    def __init__(self):
        self.conditions = {}

    def fit(self, name, value, bits, when=True):
        """Cuts a number to `bits` bits without a sign, and collects the condition that no bit is lost where `when`
        holds."""
        self.require(name, when, within(value, 0, (1 << bits) - 1))
        return value.low(bits)

    def fit_signed(self, name, value, bits, when=True):
        self.require(name, when, within(value, -(1 << (bits - 1)), (1 << (bits - 1)) - 1))
        a = value.wide(max(value.bits + (not value.signed), bits))
        return Number(z3.Extract(bits - 1, 0, a), True)

    def require(self, name, when, condition):
        self.conditions.setdefault(name, []).append(z3.Implies(when, condition))


def signed_of(expression, bits):
    half = 1 << (bits - 1)
    return f"(({expression} ^ {half}) - {half})"


SIGNED = {z3.Z3_OP_SLEQ: "<=", z3.Z3_OP_SLT: "<", z3.Z3_OP_SGEQ: ">=", z3.Z3_OP_SGT: ">"}
JOINED = {z3.Z3_OP_BADD: "+", z3.Z3_OP_BMUL: "*", z3.Z3_OP_BSUB: "-"}
# Operations whose expressions depend on nothing but those of their operands.
PLAIN = {z3.Z3_OP_TRUE: "True", z3.Z3_OP_FALSE: "False", z3.Z3_OP_ZERO_EXT: "{0}", z3.Z3_OP_ITE: "{1} if {0} else {2}",
         z3.Z3_OP_ULEQ: "{0} <= {1}", z3.Z3_OP_ULT: "{0} < {1}", z3.Z3_OP_UGEQ: "{0} >= {1}", z3.Z3_OP_UGT: "{0} > {1}",
         z3.Z3_OP_EQ: "{0} == {1}", z3.Z3_OP_DISTINCT: "{0} != {1}", z3.Z3_OP_NOT: "not {0}",
         z3.Z3_OP_IMPLIES: "(not {0}) or {1}"}


def operation(t, a):
    """Returns a z3 operation as a Python expression; bit vectors are integers without a sign."""
    kind = t.decl().kind()
    if kind in PLAIN:
        return PLAIN[kind].format(*a)
    if kind == z3.Z3_OP_BNUM:
        return str(t.as_long())
    if kind == z3.Z3_OP_UNINTERPRETED:
        name = t.decl().name()
        return f"T_{name}[{a[0]}]" if a else f"V_{name}"
    if kind in JOINED:
        return f"({JOINED[kind].join(a)}) & {(1 << t.size()) - 1}"
    if kind == z3.Z3_OP_EXTRACT:
        high, low = t.params()
        return f"({a[0]} >> {low}) & {(1 << (high - low + 1)) - 1}"
    if kind == z3.Z3_OP_CONCAT:
        expression = a[0]
        for part, child in zip(a[1:], t.children()[1:]):
            expression = f"({expression} << {child.size()} | {part})"
        return expression
    if kind == z3.Z3_OP_SIGN_EXT:
        return f"{signed_of(a[0], t.children()[0].size())} & {(1 << t.size()) - 1}"
    if kind in SIGNED:
        bits = t.children()[0].size()
        return f"{signed_of(a[0], bits)} {SIGNED[kind]} {signed_of(a[1], bits)}"
    if kind == z3.Z3_OP_AND:
        return " and ".join(a) or "True"
    if kind == z3.Z3_OP_OR:
        return " or ".join(a) or "False"
    raise ValueError(f"no Python for {t.decl().name()}")


def compiled(name, inputs, tables, outputs):
    """Compiles z3 terms to a Python function of the named variables and tables, which returns a tuple of the
    outputs.

    The function is translated from the terms themselves, not from the code that made the terms: so the comparison
    with the model checks exactly what the solver is given. A signed Number as an output comes with its sign.
    """
    lines, place, stack = [], {}, []
    results = [o.term if isinstance(o, Number) else o for o in outputs]
    stack = [(r, False) for r in reversed(results)]
    while stack:
        t, ready = stack.pop()
        if t.get_id() in place:
            continue
        if not ready:
            stack.append((t, True))
            stack.extend((c, False) for c in t.children())
            continue
        expression = operation(t, [place[c.get_id()] for c in t.children()])
        place[t.get_id()] = f"x{len(lines)}"
        lines.append(f"    x{len(lines)} = {expression}")
    ends = []
    for output, result in zip(outputs, results):
        at = place[result.get_id()]
        has_sign = isinstance(output, Number) and output.signed
        ends.append(signed_of(at, result.size()) if has_sign else f"int({at})")
    arguments = ", ".join([f"V_{i}" for i in inputs] + [f"T_{t}" for t in tables])
    text = "\n".join([f"def {name}({arguments}):"] + lines + [f"    return ({', '.join(ends)},)"])
    scope = {}
    exec(compile(text, f"<{name}>", "exec"), scope)
    return scope[name]
