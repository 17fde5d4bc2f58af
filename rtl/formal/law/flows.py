"""Queries about flows over several rounds, with the registers of named settings; each proof holds for the bound
that the query names."""
import itertools

import z3
from law.queries import Query
from law.rules import Dcqcn, Limits, LineTables, Proportional, Slot
from law.terms import Number, number, within
from law.vectors import registers

MBPS = 256
# Register values as the driver writes them for `policy: proportional` with packets of 1000 bytes. "RTT" in a name:
# base round-trip time.
PROPORTIONAL = {
    "100 Gb/s": {"r_ai": 3507, "r_hai": 140800, "g": 52429, "r_max": 125000 * MBPS, "mark_shift": 10,
                 "timer_interval": 14, "first_cut": 2341, "brisk": 95},
    "25 Gb/s": {"r_ai": 1393, "r_hai": 140800, "g": 32506, "r_max": 31250 * MBPS, "mark_shift": 10,
                "timer_interval": 14, "first_cut": 2341, "brisk": 95},
    "400 Gb/s": {"r_ai": 3507, "r_hai": 140800, "g": 52429, "r_max": 500000 * MBPS, "mark_shift": 8,
                 "timer_interval": 14, "first_cut": 2341, "brisk": 95},
    "100 Gb/s, RTT 200 us": {"r_ai": 219, "r_hai": 7383, "g": 52429, "r_max": 125000 * MBPS, "mark_shift": 6,
                             "timer_interval": 267, "first_cut": 2731, "brisk": 0}}
COMMON = {"cut_by_marks": 1, "keep_target": 0, "byte_counter": 0, "mi": 0, "r_min": 5 * MBPS, "alpha_recip": 1 << 20,
          "cut_floor": 0, "byte_threshold": 2**32 - 1, "f": 0, "decrease_period": 5, "silence": 32,
          "initial_rate": 25000 * MBPS, "initial_alpha": 65536}
STEP = 1024  # decrease of the cut multiplier from one entry of the decrease table to the next
DCQCN = {"cut_by_marks": 0, "keep_target": 0, "byte_counter": 0, "mi": 0, "r_min": 40 * MBPS, "r_max": 100000 * MBPS,
         "r_ai": 40 * MBPS, "r_hai": 40 * MBPS, "g": 256, "alpha_recip": 78090315, "cut_floor": 0, "mark_shift": 0,
         "byte_threshold": 2**32 - 1, "f": 5, "decrease_period": 0, "silence": 32, "brisk": 0, "first_cut": 0,
         "timer_interval": 55, "initial_rate": 100000 * MBPS, "initial_alpha": 65536}


def weighted(weight):
    """Returns the limits of a class with this weight as the driver writes them; the class has no floor or ceiling
    of its own."""
    return Limits(number(256), number(round(4096 / weight)), number(0), number(2**32 - 1))


def packets_of(registers_):
    """Returns the number of packets, each marked and reported by its own CNP, that add up to one whole packet in
    the account."""
    return -(-256 // (256 - (registers_["g"] >> 8)))


class Flow:
    """A flow outside a rate hold, just after its timer event, with no packet under way.

    Two claims are proved together with each query: no rate hold begins, and after each round the flow is in such a
    state again. So each round may start from the claimed result of the round before: a rate of `bits` bits, and an
    account of less than one packet.
    """

    def __init__(self, rules, c, name, rate, bits, phase=0):
        self.rules, self.c, self.name, self.bits = rules, c, name, bits
        self.begin = Slot(rate, rate, number(0), Number.named(f"{name}.account", 8), number(phase), number(0))
        self.s, self.rounds = self.begin, 0
        self.told, self.claims = [(f"{name} before", self.begin)], []

    def round(self, packets, marks):
        """One round: packets are sent, a CNP reports these packets and their marks (if there are marks), and a
        timer event follows."""
        rules = self.rules
        self.rounds += 1
        sent = rules.sent(self.s, number(packets))
        after, swamped = rules.counted(sent, number(marks), number(packets), z3.BoolVal(False), self.c)
        # Without marks the receiver sends no CNP; the next CNP reports the packets, which has the same effect as a
        # report now.
        if marks == 0:
            after, swamped = Slot(sent.rc, sent.rt, number(0), sent.length, sent.t, sent.bc), z3.BoolVal(False)
        later, _ = rules.timer(after, number(1 << 19), self.c)
        self.claims += [z3.Not(swamped), later.rc == later.rt, later.rt < (1 << self.bits),
                        within(later.length, 0, 255)]
        rate = later.rt.low(self.bits)
        phase = number(z3.simplify(later.t.term).as_long())
        self.s = Slot(rate, rate, number(0), later.length.low(8), phase, number(0))
        self.told += [(f"round {self.rounds}, {self.name}: {marks} of {packets} packets marked", later)]


def proportional(setting, broken):
    r = {**COMMON, **PROPORTIONAL[setting]}
    return r, Proportional(registers(fixed=r), LineTables(STEP), broken)


def part(value, target):
    """Returns the part of a value that a step uses at a target. The part is monotonic in the value and in the
    target."""
    if target >= 1 << 17:
        return value
    places = min(6, 17 - target.bit_length())
    return value * max(8, target >> (13 - places)) >> (4 + places)


def band(r, weight, low, end, times):
    """For targets from `low` to below `end`: the greatest lasting loss by a marked packet, the least rise by a
    whole packet, and the least target from which on both bounds hold, which is packets_of(r) losses below `low`."""
    argument = min(65536, times * ((1 << r["mark_shift"]) * round(4096 / weight) >> 12))
    # The decrease table falls by 4 with each step of the argument, and marks beyond its end count below 256 Mb/s.
    most = 4 if end <= 1 << 15 else 2 if end <= 1 << 16 else 1
    taken = ((end - 1) * min(most * 65536, 4 * argument) + 65535) >> 16
    loss = part(taken, end - 1) >> 2
    least_target = max(r["r_min"], low - packets_of(r) * loss)
    # The loss by a marked packet comes before its rise, so a rise may begin one loss below the least target.
    return loss, part(times * r["r_ai"], max(r["r_min"], least_target - loss)), least_target


WEIGHTS = {setting: (1, 8) if setting == "100 Gb/s" else (1,) for setting in PROPORTIONAL}


def climbs_though_all_is_marked(law, broken, weights=None, settings=tuple(PROPORTIONAL), phases=(0, 200)):
    """Below a rate that is proportional to the weight, no pattern of marks keeps a flow's rate down.

    One round is a packet, a CNP that reports the packet and its mark, and a timer event. Each round without a rise
    adds to the account, so at least one of packets_of() rounds in a row has a rise. A rise exceeds the losses of as
    many rounds. So the target is higher after packets_of() rounds, whichever packets are marked, and no rate hold
    begins.
    """
    found = []
    for setting in settings:
        r, rules = proportional(setting, broken)
        n = packets_of(r)
        gain = 256 - (r["g"] >> 8)
        assert n * gain >= 256
        for weight, phase in itertools.product(weights or WEIGHTS[setting], phases):
            first = 1 << (r["r_min"].bit_length() - 1)
            for quarter in itertools.count():
                low, end = (((4 + k % 4) << k // 4) * first // 4 for k in (quarter, quarter + 1))
                if end <= r["r_min"]:
                    continue
                loss, rise, least_target = band(r, weight, low, end, 4 if phase else 1)
                if rise <= n * loss:
                    break
                for mark in (0, 1):
                    rate = Number.named("rate", (end - 1).bit_length())
                    flow = Flow(rules, weighted(weight), "flow", rate, 32, phase)
                    flow.round(1, mark)
                    before, after = flow.begin, flow.s
                    rises = after.rt + mark * loss >= before.rt + rise
                    saves = z3.And(z3.BoolVal(mark == 1), after.rt + loss >= before.rt,
                                   after.length >= before.length + gain)
                    name = "fast" if phase else "steady"
                    case = f"{setting}, weight {weight:g}, {name}, {end / MBPS:g} Mb/s"
                    found.append(Query(
                        f"{case}, mark {mark}",
                        [within(before.rt, least_target, end - 1)],
                        z3.And(z3.Or(rises, saves), *flow.claims), flow.told))
            if low <= r["r_min"]:
                raise ValueError(f"{setting}, weight {weight}: no target at which packets outweigh marks")
    return found


def fast_as_steady(law, broken, weights=(0.0625, 0.125, 0.22, 1)):
    """A mark of the fast phase takes four times as much off a low target as one of the steady phase, but for roundings:
    packets count four times there, so marks must, too, or a flow of that weight comes to rest elsewhere."""
    r, rules = proportional("100 Gb/s", broken)
    found = []
    for weight in weights:
        rate = Number.named("rate", 15)
        c = Limits(number(256), number(min(65535, round(4096 / weight))), number(0), number(2**32 - 1))
        before = [Slot(rate, rate, number(0), number(0), number(phase), number(0)) for phase in (0, 256 - r["brisk"])]
        after = [rules.counted(s, number(1), number(1), z3.BoolVal(False), c)[0] for s in before]
        slow, fast = (rate - s.rt for s in after)
        found.append(Query(f"weight {weight:g}", [within(rate, 2 * r["r_min"], (1 << 15) - 1)],
                           z3.And(fast + 2 >= slow * 4, fast <= slow * 4 + 4),
                           [("before", before[0]), ("steady", after[0]), ("fast", after[1])]))
    return found


def not_apart(law, broken, counts=(2, 3)):
    """For a marking rule that marks all packets of a round or none: one flow has a rate in the lowest octave, the
    other flows have rates above half of the greatest rate. In a round with marks every other flow's rate falls. In
    any round the first flow's rate rises, or the flow adds to its account and loses less than its next rise. So no
    flow stays at the least rate while another stays at the greatest."""
    r, rules = proportional("100 Gb/s", broken)
    low = 1 << (r["r_min"].bit_length() - 1)
    loss, rise, least_target = band(r, 1, low, 2 * low, 1)
    gain = 256 - (r["g"] >> 8)
    found = []
    for count, marked in itertools.product(counts, (0, 1)):
        first = Flow(rules, weighted(1), "flow 1", Number.named("rate1", low.bit_length()), 32)
        others = [Flow(rules, weighted(1), f"flow {i}", Number.named(f"rate{i}", 25), 32)
                  for i in range(2, count + 1)]
        first.round(1, marked)
        for flow in others:
            flow.round(4, 4 * marked)
        before, after = first.begin, first.s
        saves = z3.And(z3.BoolVal(marked == 1), after.rt + loss >= before.rt, after.length >= before.length + gain)
        fall = [flow.s.rt < flow.begin.rt for flow in others] if marked else []
        found.append(Query(
            f"{count} flows, {'all' if marked else 'no'} packets marked",
            [within(before.rt, least_target, 2 * low - 1),
             *(within(f.begin.rt, r["r_max"] // 2, r["r_max"]) for f in others)],
            z3.And(z3.Or(after.rt + marked * loss >= before.rt + rise, saves), *fall, *first.claims,
                   *(f.claims[0] for f in others)),
            first.told + [pair for f in others for pair in f.told]))
    return found


def dcqcn_rules(broken):
    return Dcqcn(registers(fixed=DCQCN), LineTables(128), broken)


def fresh(name, rate):
    return Slot(rate, rate, Number.named(f"{name}.alpha", 17), number(0), Number.named(f"{name}.t", 8),
                Number.named(f"{name}.bc", 8))


def dcqcn_not_apart(law, broken, counts=(2, 3)):
    """For a marking rule that causes a CNP for all flows or for none: one flow is at the least rate, the other
    flows are at the greatest. After a CNP every other flow's rate falls (alpha is at least G); without a CNP the
    first flow's rate rises after at most F timer events."""
    rules, least_rate, line = dcqcn_rules(broken), number(DCQCN["r_min"]), number(DCQCN["r_max"])
    found = []
    for count, marked in itertools.product(counts, (0, 1)):
        slots = [fresh(f"flow{i + 1}", line if i else least_rate) for i in range(count)]
        given = [within(s.alpha, DCQCN["g"], 65536) for s in slots]
        if marked:
            after = [rules.cnp(s, number(1), number(1), z3.BoolVal(False), number(1), weighted(1))[0] for s in slots]
            claim = z3.And(*(s.rc < line for s in after[1:]))
        else:
            after = [rules.timer(s, number(1), weighted(1))[0] for s in slots]
            waits = z3.And(slots[0].t + 1 < DCQCN["f"], after[0].t > slots[0].t)
            claim = z3.Or(after[0].rc > least_rate, waits)
        told = [pair for i, (s, t) in enumerate(zip(slots, after), 1)
                for pair in ((f"flow {i} before", s), (f"flow {i} after", t))]
        found.append(Query(f"{count} flows, {'a CNP each' if marked else 'no CNP'}", given, claim, told))
    return found


ROUNDS = DCQCN["f"] + 2  # number of rounds without a CNP after which a flow has left the least rate


def dcqcn_leaves_the_floor(law, broken):
    """A claim that is false: under DCQCN a flow leaves the least rate within ROUNDS rounds, whatever CNPs arrive.
    Counterexample: CNPs that arrive before fast recovery is over keep the flow at the least rate."""
    rules = dcqcn_rules(broken)
    least_rate = number(DCQCN["r_min"])
    s = Slot(least_rate, least_rate, number(65536), number(0), number(0), number(0))
    told, left = [("flow before", s)], z3.BoolVal(False)
    for k in range(ROUNDS):
        marked = z3.Bool(f"a CNP in round {k + 1}")
        after, _, _ = rules.cnp(s, number(1), number(1), z3.BoolVal(False), number(1), weighted(1))
        later, _ = rules.timer(s, number(1), weighted(1))
        s = rules.choose(marked, after, later)  # a CNP in this round restarts the timer, so no timer event follows
        told += [(f"a CNP in round {k + 1}", marked), (f"flow after round {k + 1}", s)]
        left = z3.Or(left, s.rc > least_rate)
    return [Query(f"one flow, {ROUNDS} rounds", [], left, told)]
