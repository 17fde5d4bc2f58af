"""Properties of every state of a slot under any sequence of events: proved by induction, one event at a time."""
import z3
from law.queries import Query, in_range
from law.rules import AnyTables, Dcqcn, Proportional, number
from law.terms import Number, either, greatest, within
from law.vectors import CONDITIONS, EVENTS, REGISTERS, event_terms, limits, operand, registers, slot

ACCOUNT = 1 << 27
RANGES = {name: (low, high) for name, (_, low, high) in REGISTERS.items() if name not in CONDITIONS}


class Step:
    """One event of one slot, with any registers within their ranges, any tables and any class."""

    def __init__(self, law, event, broken="", fixed=None, tables=None):
        self.law, self.event = law, event
        self.r = registers(fixed=fixed)
        self.tables = tables or AnyTables()
        self.rules = (Dcqcn if law == "dcqcn" else Proportional)(self.r, self.tables, broken)
        self.c, self.s = limits(), slot(law)
        self.lo, self.hi = self.rules.limits(self.c)
        self.after, self.flag = event_terms(law, event, self.rules, self.s, self.c)
        self.given = in_range(self.r)
        if broken == "brisk_96":
            self.given = [within(self.r["brisk"], 0, 96) if name == "brisk" else within(self.r[name], *bounds)
                          for name, bounds in RANGES.items()]
        self.given.append(operand("packets") > 0 if event == "sent" else z3.BoolVal(True))
        if event == "binding":
            self.given.append(operand("marks") > 0)

    def state(self):
        """Assumption on the slot before an event: the invariant of widths and phases."""
        return [] if self.event == "binding" else well_formed(self.law, self.s)

    def told(self):
        pairs = [("registers", self.r), ("class", self.c)]
        if self.event != "binding":
            pairs.append(("before", self.s))
        pairs.append(("event", self.event))
        if self.event in ("CNP", "binding"):
            pairs += [("marks", operand("marks")), ("packets told", operand("packets").low(8))]
        if self.event == "sent":
            pairs.append(("bytes", operand("bytes")) if self.law == "dcqcn" else
                         ("packets", operand("packets")))
        if self.event in ("CNP", "timer"):
            pairs.append(("ticks since the last cut", operand("delta")))
        return pairs + [("after", self.after)]

    def query(self, given, claim, told=()):
        return Query(self.event, [*self.given, *self.state(), *given], claim, self.told() + list(told))


def well_formed(law, s):
    if law == "dcqcn":
        return [s.alpha <= 65536]
    holding = Proportional.holding(s)
    return [within(s.length, -ACCOUNT, ACCOUNT - 1), s.alpha <= 65536,
            z3.Implies(holding, z3.And(s.length == 0, s.alpha <= 1))]


def steps(law, broken):
    return [Step(law, event, broken) for event in EVENTS]


def limits_of_a_class(law, broken):
    """While class and registers do not change: least rate <= Rc and Rt <= greatest rate; under DCQCN also Rc <= Rt."""
    found = []
    for step in steps(law, broken):
        def good(s, step=step):
            both = [within(s.rc, step.lo, step.hi), within(s.rt, step.lo, step.hi)]
            return z3.And(*both, s.rc <= s.rt) if law == "dcqcn" else z3.And(*both)
        given = [good(step.s)] if step.event != "binding" else [step.r["initial_rate"] >= step.lo]
        found.append(step.query(given, good(step.after), [("least rate", step.lo), ("greatest rate", step.hi)]))
    return found


def limits_of_all_classes(law, broken):
    """When a flow changes its class: R_MIN <= Rc and Rt <= the greatest rate of any class."""
    found = []
    for step in steps(law, broken):
        most = Number.named("most", 32)

        def good(s, step=step, most=most):
            return z3.And(within(s.rc, step.r["r_min"], most), within(s.rt, step.r["r_min"], most))
        given = [step.hi <= most]
        given.append(good(step.s) if step.event != "binding" else step.r["initial_rate"] >= step.r["r_min"])
        found.append(step.query(given, good(step.after), [("greatest rate of all classes", most)]))
    return found


def slot_is_well_formed(law, broken):
    """The account fits 28 bits, alpha and packets are at most 65536, and the account is 0 in a rate hold."""
    return [step.query([], z3.And(*well_formed(law, step.after))) for step in steps(law, broken)]


def phases_in_order(law, broken):
    """A rate hold begins at its first interval and counts up; no other event leads into the middle of a rate hold."""
    found = []
    for step in steps(law, broken):
        before, after = step.s, step.after
        on = z3.Or(after.t == before.t, after.t == before.t + 1)
        into = z3.Or(after.t == 1, z3.And(Proportional.holding(before), on))
        if step.event == "binding":
            into = after.t == 1
        found.append(step.query([], z3.Implies(Proportional.holding(after), into)))
    return found


def nothing_is_cut_off(law, broken):
    """Every value fits the width that hardware and model have for this value."""
    found = []
    for step in steps(law, broken):
        for name, conditions in step.rules.widths.conditions.items():
            query = step.query([], z3.And(*conditions), [("does not fit", name)])
            query.case = f"{step.event}: {name}"
            found.append(query)
    return found


def counts_stay(law, broken):
    """DCQCN's counts T and BC fall only by a cut, and stay at 255."""
    found = []
    for event in ("sent", "timer"):
        step = Step(law, event, broken)
        found.append(step.query([], z3.And(step.after.t >= step.s.t, step.after.bc >= step.s.bc)))
    return found


def cut_keeps_the_rate(law, broken):
    """After a cut the target is the rate before the cut, or, with KEEP_TARGET, the target before the cut."""
    step = Step(law, "CNP", broken)
    s, after = step.s, step.after
    kept = z3.And(step.r["keep_target"], s.t == 0)
    return [step.query([z3.Not(step.flag)], after.rt == either(kept, s.rt, s.rc))]


def hold_ends(law, broken):
    """In a rate hold every timer event counts up to 160 and then ends the hold; no CNP sets the count back."""
    found = []
    for event in ("CNP", "timer"):
        step = Step(law, event, broken)
        before, after = step.s, step.after
        still = z3.And(Proportional.holding(after))
        up = after.t > before.t if event == "timer" else after.t >= before.t
        found.append(step.query([Proportional.holding(before)], z3.Implies(still, up)))
    return found


def hold_keeps_what_is_delivered(law, broken):
    """A rate hold takes a further step only where the target is at least twice BC · R_HAI / T, the rate at which
    the network delivers according to the marks; the step leaves at least half of the target."""
    step = Step(law, "timer", broken)
    before, after = step.s, step.after
    given = [Proportional.holding(before), Proportional.holding(after), step.r["first_cut"] != 0, after.rt < before.rt,
             within(before.rt, step.lo, step.hi)]
    claim = z3.And(before.bc != 255, before.rt * before.t >= (before.bc * step.r["r_hai"]) << 1,
                   (after.rt << 1) >= before.rt)
    return [step.query(given, claim)]


def whole_packet(s):
    """Returns the number of packets that the account lacks for a whole packet; 0 if the account holds a whole
    packet."""
    missing = number(256) - s.length
    return either(missing > 0, (missing + 255) >> 8, 0)


def patience_left(law, r, s):
    """Returns the greatest number of timer events without CNPs until a timer event raises the rate."""
    if law == "dcqcn":
        return either(s.rc < s.rt, 0, greatest(0, r["f"] - s.t))
    need = whole_packet(s)
    outside = either(need == 0, 0, (need << 8) + 255 - s.bc)
    return either(Proportional.holding(s), number(512 + 161) - s.t, outside)


def rises_without_marks(law, broken):
    """A flow that receives no CNPs raises its rate: a count (patience_left) falls with each timer event, and
    packets do not raise this count. When the count cannot fall any more, the rate rises, until it is the greatest
    rate of its class."""
    found = []
    for event in ("timer", "sent"):
        step = Step(law, event, broken)
        r, before, after = step.r, step.s, step.after
        given = [within(before.rc, step.lo, step.hi), within(before.rt, step.lo, step.hi), r["r_hai"] > 0]
        if law == "dcqcn":
            given += [before.rc <= before.rt, step.c.f_inc >= 128, r["r_ai"] > 0]
            rises, full = after.rc > before.rc, before.rc == step.hi
        else:
            given += [r["r_ai"] >= 128]
            rises, full = after.rt > before.rt, before.rt == step.hi
        rank, later = patience_left(law, r, before), patience_left(law, r, after)
        less = later < rank if event == "timer" else later <= rank
        if event == "sent" and law == "dcqcn":
            less = z3.Or(rises, less)
        found.append(step.query(given, z3.Or(rises, full, less) if event == "timer" else z3.Or(full, less),
                                [("count before", rank), ("count after", later)]))
    return found


def mark_costs_less_than_its_packet(law, broken):
    """A CNP that reports n packets and m <= n marks, for packets all sent since the last CNP, leaves the account
    above its value before those packets."""
    step = Step(law, "CNP", broken)
    before, after = step.s, step.after
    packets, marks = operand("packets").low(8), operand("marks")
    given = [z3.Not(Proportional.holding(before)), z3.Not(Proportional.holding(after)), marks > 0, marks <= packets,
             packets < 255, before.alpha == packets, within(before.length, -(1 << 20), 1 << 20)]
    return [step.query(given, after.length + (packets << 8) > before.length)]
