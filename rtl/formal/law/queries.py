"""Queries to the solver, and counterexamples in a user's terms."""
from dataclasses import dataclass, field

import z3
from law.rules import Slot
from law.terms import Number, within
from law.vectors import CLASS, CONDITIONS, REGISTERS

RATES = ("r_ai", "r_hai", "r_min", "r_max", "initial_rate", "floor", "ceiling", "rc", "rt")
FRACTIONS = ("alpha", "first_cut", "cut_floor", "g", "mi", "initial_alpha")


@dataclass
class Query:
    """A query: `claim` must follow from `given`. `told` are the (text, value) pairs that a counterexample prints,
    in this order."""
    case: str
    given: list
    claim: object
    told: list = field(default_factory=list)


def in_range(registers):
    """Returns the condition that every register is within its range of the register map."""
    return [within(registers[name], low, high) for name, (_, low, high) in REGISTERS.items()
            if name not in CONDITIONS]


SEVERAL = {z3.Z3_OP_AND: z3.And, z3.Z3_OP_OR: z3.Or}  # z3 operations that take any number of terms


def plain(terms, products):
    """Returns the terms with a variable in place of each table look-up (and, without `products`, in place of each
    product), followed by facts about these variables.

    The facts on look-ups: entries of tables are at most 1.0, and equal indices have equal entries.
    """
    place, about, look_ups = {}, [], []

    def variable(u, new):
        kind = u.decl().kind()
        if kind == z3.Z3_OP_UNINTERPRETED and new:
            entry = z3.BitVec(f"entry{len(look_ups)}", u.size())
            about.append(z3.ULE(entry, 65536))
            about.extend(z3.Implies(new[0] == index, entry == other) for table, index, other in look_ups
                         if table == u.decl().name())
            look_ups.append((u.decl().name(), new[0], entry))
            return entry
        if kind == z3.Z3_OP_BMUL and not products and not any(z3.is_bv_value(z3.simplify(n)) for n in new):
            product = z3.BitVec(f"product{len(about)}", u.size())
            about.append(product_facts(product, *new))
            return product
        if not any(n.get_id() != c.get_id() for n, c in zip(new, u.children())):
            return u
        return SEVERAL[kind](*new) if kind in SEVERAL else u.decl()(*new)

    def replaced(t):
        stack = [(t, False)]
        while stack:
            u, ready = stack.pop()
            if u.get_id() in place:
                continue
            if not ready:
                stack.append((u, True))
                stack.extend((c, False) for c in u.children())
                continue
            # The dictionary keeps u beside its result, so that z3 gives u's id to no other term.
            place[u.get_id()] = (u, variable(u, [place[c.get_id()][1] for c in u.children()]))
        return place[t.get_id()][1]

    return [replaced(t) for t in terms] + about


def product_facts(p, a, b):
    """Facts about p = a · b that the proofs use; all three terms have the width of the greatest possible product."""
    def one(a, b):
        facts = [z3.Implies(b == 0, p == 0), z3.Implies(b != 0, z3.UGE(p, a))]
        if p.size() > 16:
            wide, most = z3.ZeroExt(16, p), z3.Concat(a, z3.BitVecVal(0, 16))
            facts += [z3.Implies(z3.ULE(b, 1 << 16), z3.ULE(wide, most)),
                      z3.Implies(z3.And(z3.ULT(b, 1 << 16), a != 0), z3.ULT(wide, most))]
        return z3.And(*facts)
    return z3.And(one(a, b), one(b, a))


def ask(query, effort, exact=False):
    """("proved" | "false" | "open", the solver's model).

    First the solver treats products as any numbers that satisfy product_facts(): a claim proved so is proved. If
    this fails, or if only a counterexample is of interest (`exact`), the solver gets the products themselves.
    """
    terms = [*query.given, z3.Not(query.claim)]
    result = z3.unknown
    for products in (True,) if exact else (False, True):
        solver = z3.SolverFor("QF_BV")
        solver.set("rlimit", effort)  # limit in steps of the solver, so the result is the same on every machine
        solver.add(*plain(terms, products))
        result = solver.check()
        if result == z3.unsat:
            return "proved", None
    return ("false", solver.model()) if result == z3.sat else ("open", None)


def value_of(model, value):
    if isinstance(value, Number):
        known = model.eval(value.term, model_completion=True)
        return known.as_signed_long() if value.signed else known.as_long()
    if z3.is_expr(value):
        return z3.is_true(model.eval(value, model_completion=True))
    return value


def rate(value):
    return f"{value / 256:.3f} Mb/s"


def phase(t):
    if t == 0:
        return "steady"
    return f"hold, interval {t}" if t <= 160 else f"fast phase, {256 - t} intervals left"


def slot_text(law, model, s):
    v = {name: value_of(model, getattr(s, name)) for name in s.names()}
    if law == "dcqcn":
        return (f"rate {rate(v['rc'])}, target {rate(v['rt'])}, alpha {v['alpha'] / 65536:.4f}, T {v['t']}, "
                f"BC {v['bc']}, {v['length']} bytes")
    holding = 1 <= v["t"] <= 160
    count = (f"{v['bc']} marks" + (", promised" if v["alpha"] else "")) if holding else \
        f"{v['bc']} intervals without a packet, {v['alpha']} packets sent since the last CNP"
    return (f"rate {rate(v['rc'])}, target {rate(v['rt'])}, {phase(v['t'])}, account {v['length'] / 256:.3f} packets, "
            f"{count}")


def matters(model, value):
    """True if the value is a variable that the solver had to choose."""
    term = value.term if isinstance(value, Number) else value
    return z3.is_const(term) and any(d.name() == term.decl().name() for d in model.decls())


def text_of(model, values):
    """Returns the text of registers, in capitals, or of the tables' entries for a class."""
    parts = []
    for name, value in values.items():
        if not matters(model, value):
            continue
        known = value_of(model, value)
        if name in RATES:
            text = rate(known)
        elif name in FRACTIONS:
            text = f"{known / 65536:.5f}"
        else:
            text = round(known / (256 if name == "f_inc" else 4096), 4) if name in CLASS else int(known)
        parts.append(f"{name if name in CLASS else name.upper()} {text}")
    return ", ".join(parts) or "any"


def explain(law, model, told):
    """Returns the lines of a printed counterexample."""
    lines = []
    for text, value in told:
        if isinstance(value, Slot):
            lines.append(f"{text}: {slot_text(law, model, value)}")
        elif isinstance(value, dict):
            lines.append(f"{text}: {text_of(model, value)}")
        elif hasattr(value, "f_dec"):
            lines.append(f"{text}: {text_of(model, vars(value))}")
        else:
            known = value_of(model, value)
            lines.append(f"{text}: {rate(known) if text.endswith(' rate') else known}")
    return lines
