"""The controller's two laws and the rate unit as z3 terms: one event of one slot (docs/formats.md).

`broken` names one of the deliberately broken rules in law_proof.py; each broken rule must make a property fail.
"""
from dataclasses import dataclass, replace

import z3
from law.terms import Number, Widths, clamp, either, greatest, least, number

ONE = 65536
MAX_HOLD = 160
MAX_DELTA = (1 << 20) - 1
ACCOUNT_BITS = 28


@dataclass
class Slot:
    rc: Number
    rt: Number
    alpha: Number  # proportional law: packets since the last CNP; in a rate hold, 1: a clear notification is promised
    length: Number   # DCQCN: bytes; proportional law: the signed account in 1/256 packet
    t: Number
    bc: Number

    def names(self):
        return ("rc", "rt", "alpha", "length", "t", "bc")


@dataclass
class Limits:
    """Entries of the rate unit's tables for one class."""
    f_inc: Number
    f_dec: Number
    floor: Number
    ceiling: Number


class AnyTables:
    """Decay and decrease tables with any contents up to 1.0."""

    def __init__(self):
        self.functions = {name: z3.Function(name, z3.BitVecSort(bits), z3.BitVecSort(17))
                          for name, bits in (("decrease", 9), ("decay_hi", 6), ("decay_lo", 6))}
        self.conditions = []

    def look_up(self, name, index):
        bits = self.functions[name].domain(0).size()
        value = self.functions[name](z3.Extract(bits - 1, 0, index.wide(max(bits, index.bits))))
        self.conditions.append(z3.ULE(value, ONE))
        return Number(z3.Concat(z3.BitVecVal(0, 1), value))

    def decrease(self, index):
        return self.look_up("decrease", index)

    def decay(self, name, index):
        return self.look_up(name, index)


class LineTables(AnyTables):
    """Tables as the driver writes them for cuts close together: the decrease table is max(0, 1 - index · step), and
    alpha does not decay."""

    def __init__(self, step):
        super().__init__()
        self.step = step

    def decrease(self, index):
        return greatest(0, ONE - index * self.step)

    def decay(self, name, index):
        return number(ONE)


class RateUnit:
    def __init__(self, registers, tables, law, broken=""):
        self.r = registers
        self.tables = tables
        self.dcqcn = law == "dcqcn"
        self.broken = broken
        self.widths = Widths()
        self.most_slow = 16 if broken == "slow_without_end" else 6

    def limits(self, c):
        lo = greatest(self.r["r_min"], c.floor)
        return lo, greatest(lo, least(self.r["r_max"], c.ceiling))

    def part(self, value, target, more=0):
        """Returns the part of a value that a step uses at a target, shifted right by `more`."""
        full = target >= 1 << 17
        places, over = number(0), (target >> 13).low(3)
        for k in range(1, self.most_slow + 1):
            below = target < 1 << (17 - k)
            places = either(below, k, places)
            over = either(below, (target >> (13 - k) if k <= 13 else target << (k - 13)).low(3), over)
        # At the greatest shift the target's highest bit may be 0; the part is then eight sixteenths.
        over = either(target < 1 << (16 - self.most_slow), 0, over)
        bit = [over.low(k + 1) >> k != 0 for k in range(3)]
        sum_ = (value << 3) + either(bit[2], value << 2, 0) + either(bit[1], value << 1, 0) + either(bit[0], value, 0)
        return either(full, value >> more, (sum_ >> (4 + more)).shifted_right(places, self.most_slow))

    def decay(self, alpha, delta):
        n = least(4095, (delta * self.r["alpha_recip"]) >> 32)
        once = (alpha * self.tables.decay("decay_hi", n >> 6) + 32768) >> 16
        return self.widths.fit("alpha, decayed", (once * self.tables.decay("decay_lo", n.low(6)) + 32768) >> 16, 17)

    def multiplier(self, source, f_dec):
        argument = self.widths.fit("argument of the decrease table", least(ONE, (source * f_dec) >> 12), 17)
        i, f = argument >> 8, argument.low(8)
        at = self.tables.decrease(i)
        # The following entry matters only if the fraction is not 0, so the last index needs no following entry.
        line = (at * (256 - f) + self.tables.decrease(either(f == 0, i, i + 1)) * f + 128) >> 8
        return self.widths.fit("decrease multiplier", either(f == 0, at, line), 17), argument

    def decrease(self, rc, rt, alpha, delta, marks, first, c):
        """Returns rates and alpha after a cut; `first` is a z3 condition."""
        r, w = self.r, self.widths
        decayed = self.decay(alpha, either(first, 0, delta))
        counted = (marks << 1) if self.broken == "cut_twice" else marks
        by_marks = w.fit("marks, shifted", counted.shifted_left(r["mark_shift"], 10), 18)
        source = either(r["cut_by_marks"], by_marks, decayed)
        first_cut = z3.And(first, r["first_cut"] != 0)
        line, argument = self.multiplier(source, c.f_dec)
        m = either(first_cut, r["first_cut"], greatest(r["cut_floor"], line))
        lo, hi = self.limits(c)
        # Where nothing is left, the target falls by the argument, from a quarter of 1.0 to two or four at a low target.
        whole = z3.And(m == 0, z3.BoolVal(not self.dcqcn and self.broken != "cut_saturates"))
        most = either(rt < 1 << 15, ONE, either(rt < 1 << 16, ONE // 2, ONE // 4))
        product = rc * either(whole, clamp(argument, ONE // 4, most), m)
        left = w.fit("rate left by a cut", either(whole, 0, product >> 16), 32)
        new_rc = least(left, hi) if self.broken == "no_least_rate" else clamp(left, lo, hi)
        if self.dcqcn:
            new_rt = new_rc if self.broken == "target_is_cut" else rc
            gain = ONE if self.broken == "alpha_not_limited" else ONE - decayed
            new_alpha = decayed + ((gain * r["g"] + 32768) >> 16)
            if self.broken != "alpha_not_limited":
                new_alpha = least(ONE, new_alpha)
            return new_rc, new_rt, w.fit("alpha", new_alpha, 17)
        beyond = least((1 << 32) - 1, product >> 14)
        taken = w.fit("what a cut takes", either(whole, beyond, rc - left), 32)
        lasting = either(first_cut, rt >> 1, self.part(taken, rt, 0 if self.broken == "cut_lasts" else 2))
        rest = rt - least(rt, lasting)
        return new_rc, w.fit("target", rest if self.broken == "no_least_target" else greatest(lo, rest), 32), alpha

    def increase(self, rc, rt, step, packets, multiplicative, c):
        """Returns the rates after an increase, and the condition that the rate is at its maximum."""
        r, w = self.r, self.widths
        if self.dcqcn:
            additive = (step * c.f_inc + 128) >> 8
        else:
            product = least((1 << 32) - 1, w.fit("step times packets", step * packets, 52))
            additive = self.part(product, rt)
        more = either(multiplicative, (rt * r["mi"] + 32768) >> 16, 0)
        lo, hi = self.limits(c)
        total = rt + additive + more
        new_rt = w.fit("target", total.low(32) if self.broken == "no_greatest_rate" else least(hi, total), 32)
        half = rc + new_rt + (0 if self.broken == "rounds_down" else 1)
        raised = half >> 1 if self.dcqcn else new_rt
        if self.broken == "no_greatest_rate":
            return greatest(lo, raised), new_rt, raised >= hi
        new_rc = clamp(raised, lo, hi)
        return new_rc, new_rt, new_rc == hi


def count(value):
    """Increments a count of events, which stays at 255."""
    return least(255, value + 1)


class Proportional(RateUnit):
    """The proportional law: docs/formats.md, "Under the proportional law"."""

    def __init__(self, registers, tables, broken=""):
        super().__init__(registers, tables, "proportional", broken)

    @staticmethod
    def holding(s):
        return z3.And(s.t != 0, s.t <= MAX_HOLD)

    @staticmethod
    def fast(s):
        return s.t > MAX_HOLD

    def add(self, account, difference, when):
        total = self.widths.fit_signed("account before it saturates", account + difference, 32, when)
        if self.broken == "account_wraps":
            return self.widths.fit_signed("account", total, ACCOUNT_BITS, when)
        half = 1 << (ACCOUNT_BITS - 1)
        return self.widths.fit_signed("account", clamp(total, -half, half - 1), ACCOUNT_BITS, when)

    def swamped(self, account, rt):
        debt = either(account < 0, 0 - account, 0)
        owed = self.widths.fit("packets owed", debt >> 8, 20) - 8
        owed = either(owed > 0, owed, 0)
        return self.widths.fit("packets owed, as a rate", owed * self.r["r_hai"], 52) > (rt << 2)

    def bound(self, c):
        """Returns a slot that a first CNP has just bound."""
        rate = least(self.r["initial_rate"], self.limits(c)[1])
        return Slot(rate, rate, number(0), number(0), number(0), number(0))

    def cnp(self, s, marks, packets, first, delta, c):
        """Applies a CNP with marks. Returns the slot and two conditions: the CNP was coalesced; a rate hold began."""
        r, holding = self.r, self.holding(s)
        coalesced = z3.And(z3.Not(first), s.t == 1, delta < r["decrease_period"])
        # Case: the CNP arrives in a rate hold.
        ends = packets > marks
        in_hold = replace(s, bc=least(255, s.bc + marks))
        if self.broken == "hold_anew":
            in_hold = replace(in_hold, t=number(1))
        held = self.choose(ends, replace(self.ended(s), rc=s.rt), in_hold)
        # Case: the CNP arrives outside a rate hold.
        after, swamped = self.counted(s, marks, packets, first, c)
        begins = z3.And(r["first_cut"] != 0, z3.Or(first, swamped))
        promised = z3.And(first, packets == marks)
        hold = self.hold_step(Slot(after.rc, after.rt, either(promised, 1, 0), number(0), number(1), number(0)), c)
        new = self.choose(holding, held, self.choose(begins, hold, after))
        return self.choose(coalesced, s, new), coalesced, z3.And(z3.Not(holding), begins, z3.Not(coalesced))

    def counted(self, s, marks, packets, first, c):
        """Applies a CNP outside a rate hold, without the begin of a hold. Returns the slot, and the condition that
        the owed marks exceed what the flow sends in four intervals."""
        r, w, free = self.r, self.widths, z3.Not(self.holding(s))
        told = z3.And(packets != 0, packets != 255)
        account = either(told, self.add(s.length, (packets - s.alpha) << 8, free), s.length)
        price = w.fit("marks off the account", (marks * r["g"]) >> 8, 16)
        if self.broken == "mark_costs_two":
            price = marks << 9
        account = self.add(account, 0 - price, free)
        asked = either(self.fast(s), least(255, marks << 2), marks)
        rc, rt, _ = self.decrease(s.rc, s.rt, number(0), number(0), asked, first, c)
        cut = z3.Or(z3.Not(first), r["first_cut"] == 0)
        after = Slot(either(cut, rc, s.rc), either(cut, rt, s.rt), number(0), account, s.t, s.bc)
        return after, self.swamped(account, after.rt)

    def clear(self, s):
        """Applies a clear notification: a CNP without marks."""
        return self.choose(self.holding(s), replace(self.ended(s), rc=s.rt), s)

    def sent(self, s, packets):
        new = replace(s, alpha=self.widths.fit("packets sent", least(ONE, s.alpha + packets), 17),
                      length=self.add(s.length, packets << 8, z3.Not(self.holding(s))), bc=number(0))
        return self.choose(self.holding(s), s, new)

    def ended(self, s):
        return replace(s, t=(256 - self.r["brisk"]).low(8), bc=number(0), alpha=number(0), length=number(0))

    def hold_step(self, s, c):
        rc, rt, _ = self.decrease(s.rt, s.rt, s.alpha, number(0), number(0), z3.BoolVal(True), c)
        return replace(s, rc=rc, rt=rt)

    def patience(self, s):
        interval = self.r["timer_interval"]
        longer = (interval * (s.t - 1)) >> 3
        ticks = either(s.alpha != 0, interval << 6, interval + either(s.t > 0, longer, 0))
        bits = 20 if self.broken == "patience_20_bits" else 24
        return least(MAX_DELTA, self.widths.fit("patience", ticks, bits, self.holding(s)))

    def silent(self, s):
        """True for a flow that has sent nothing for SILENCE intervals and for the time of four packets."""
        r = self.r
        return z3.And(s.bc >= r["silence"], z3.Or(s.bc == 255, s.rt * s.bc >= r["r_hai"] << 2))

    def take(self, s, when):
        """Returns the number of packets that an increase counts, and the slot without these packets."""
        w = self.widths
        silent = self.silent(s)
        if self.broken == "no_silence":
            silent = z3.BoolVal(False)
        balance = s.length if self.broken == "debt_is_paid" else either(s.length > 0, s.length, 0)
        whole = w.fit("whole packets", balance >> 8, 20, when)
        packets = either(silent, greatest(1, s.rt >> 17), whole)
        length = either(silent, s.length, self.add(s.length, 0 - (whole << 8), when))
        return packets, replace(s, length=length, bc=count(s.bc))

    def raise_by(self, s, packets, c):
        rc, rt, maximum = self.increase(s.rc, s.rt, self.r["r_ai"], packets, z3.BoolVal(True), c)
        return replace(s, rc=rc, rt=rt), maximum

    def timer(self, s, delta, c):
        """Applies a timer event. Returns the slot, and the condition that its rate is at its maximum."""
        r, holding, fast = self.r, self.holding(s), self.fast(s)
        goes_on = z3.And(holding, delta < self.patience(s))
        if self.broken != "hold_for_ever":
            goes_on = z3.And(goes_on, s.t < MAX_HOLD)
        overrated = z3.And(s.bc != 255, s.rt * s.t >= (s.bc * r["r_hai"]) << 1)
        if self.broken == "hold_cuts_always":
            overrated = z3.BoolVal(True)
        step = z3.And(delta < r["timer_interval"], overrated)
        longer = least(MAX_HOLD, count(s.t)) if self.broken == "hold_for_ever" else count(s.t)
        held = replace(self.choose(step, self.hold_step(s, c), s), t=longer)
        begin = self.choose(holding, self.ended(s), s)
        packets, taken = self.take(begin, z3.Not(goes_on))
        brisk = packets << 2
        if self.broken != "packets_not_limited":
            brisk = least(MAX_DELTA, brisk)
        counts_four = z3.And(fast, z3.Not(holding))
        packets = self.widths.fit("packets of an increase", either(counts_four, brisk, packets), 20, z3.Not(goes_on))
        shorter = z3.And(counts_four, z3.Or(begin.bc == 0, self.silent(begin)))
        later = either(shorter, (begin.t + 1).low(8), begin.t)
        risen, maximum = self.raise_by(replace(taken, t=later), packets, c)
        return self.choose(goes_on, held, risen), z3.And(z3.Not(goes_on), maximum)

    @staticmethod
    def choose(condition, yes, no):
        return Slot(*(either(condition, getattr(yes, f), getattr(no, f)) for f in yes.names()))


class Dcqcn(RateUnit):
    """DCQCN's law: docs/formats.md, "Under DCQCN", the patent's three cases."""

    choose = staticmethod(Proportional.choose)

    def __init__(self, registers, tables, broken=""):
        super().__init__(registers, tables, "dcqcn", broken)

    def bound(self, c):
        rate = least(self.r["initial_rate"], self.limits(c)[1])
        return Slot(rate, rate, least(self.r["initial_alpha"], ONE), number(0), number(0), number(0))

    def cnp(self, s, marks, packets, first, delta, c):
        r = self.r
        coalesced = z3.And(z3.Not(first), delta < r["decrease_period"])
        rc, rt, alpha = self.decrease(s.rc, s.rt, s.alpha, delta, marks, first, c)
        keeps = z3.And(r["keep_target"], z3.Not(first), s.t == 0)
        new = Slot(rc, either(keeps, s.rt, rt), alpha, number(0), number(0), number(0))
        return self.choose(coalesced, s, new), coalesced, z3.BoolVal(False)

    def raise_by(self, s, c):
        r = self.r
        most, fewest = greatest(s.t, s.bc), least(s.t, s.bc)
        recovery = most <= r["f"] if self.broken == "recovery_at_f" else most < r["f"]
        step = either(recovery, 0, either(fewest > r["f"], r["r_hai"], r["r_ai"]))
        rc, rt, maximum = self.increase(s.rc, s.rt, step, number(0), z3.Not(recovery), c)
        return replace(s, rc=rc, rt=rt), maximum

    def sent(self, s, length, c):
        """Applies a byte notification of `length` bytes. Returns the slot, and the condition that the bytes lead to
        an increase."""
        r, w = self.r, self.widths
        total = s.length + length
        if self.broken == "bytes_wrap":
            total = w.fit("sum of bytes", total, 32)
        over = z3.And(r["byte_counter"], total > r["byte_threshold"])
        left = least((1 << 32) - 1, either(over, total - r["byte_threshold"], 0))
        counted = replace(s, length=w.fit("bytes over the threshold", left, 32), bc=count(s.bc))
        risen, _ = self.raise_by(counted, c)
        kept = w.fit("bytes", either(over, 0, total), 32, r["byte_counter"])
        added = replace(s, length=either(r["byte_counter"], kept, s.length))
        return self.choose(over, risen, added), over

    def timer(self, s, delta, c):
        later = (s.t + 1).low(8) if self.broken == "count_wraps" else count(s.t)
        return self.raise_by(replace(s, t=later), c)
