"""One flow under DCQCN, written for this comparison alone: without rules it is this project's controller, with all
rules Tonic's. rtl/controller/doc/other_dcqcn.md has the rules in words; RULES has their names.

Times are cycles of 10 ns, rates are 1/256 Mb/s. A tick of the controller is a microsecond.
"""

RULES = ("context_kept", "visits", "alpha_timer", "alpha_before_cut", "alpha_fraction", "rate_steps",
         "product_32_bits", "ecn_field", "byte_visits", "byte_remainder", "stage_kept", "additive_once", "hyper_from_f",
         "hyper_grows", "target_shrinks", "no_ceiling", "sum_18_bits", "counts_wrap")

TICK, INTERVAL, ALPHA_INTERVAL = 100, 60, 55  # cycles of a tick; ticks of the timers
STEP = 400                                    # 1.5625 Mb/s
R_MIN, R_AI, R_HAI = 64 * STEP, 25 * STEP, 128 * STEP
F, G, ONE = 5, 256, 1 << 16
RECIP = -(-(1 << 32) // ALPHA_INTERVAL)


def mul16(a, b):
    return (a * b + (1 << 15)) >> 16


def power(n):
    """(1 - g)^n in 1.16, rounded."""
    return (255**n * ONE * 2 // 256**n + 1) // 2


DECAY_HI, DECAY_LO = [power(64 * i) for i in range(64)], [power(i) for i in range(64)]
DECREASE = [ONE - 128 * i for i in range(257)]


class Flow:
    """`rate`: greatest and initial rate; `thresh`: packets of the byte counter; `rules`: names from RULES."""

    def __init__(self, rate, thresh, rules):
        unknown = set(rules) - set(RULES)
        assert not unknown, unknown
        self.rules = frozenset(rules)
        self.most, self.thresh = rate, thresh
        self.one = 1 << 20 if "alpha_fraction" in rules else ONE
        self.sent = self.counted = 0        # packets sent; packets before the present count of bytes
        self.timers = self.bytes = 0        # events of timer and byte counter since the last cut
        self.stage = 0                      # 0 before the first CNP, 1 recovery, 2 additive, 3 hyper
        self.grown = self.least = 0
        self.rate = self.target = rate
        self.alpha, self.latest = self.one, 0
        self.bound = False
        # The times when timers are due, in cycles if the flow is visited, otherwise in ticks.
        self.due, self.alpha_due = self.after(0, INTERVAL), self.after(0, ALPHA_INTERVAL)

    def on(self, rule):
        return rule in self.rules

    def after(self, time, ticks):
        return time + ticks * TICK if self.on("visits") else time // TICK + ticks

    @property
    def present(self):
        return self.bound or self.on("context_kept")

    # Time

    def visit(self, time):
        """The flow's turn, once in 1024 cycles."""
        self.advance(time)
        if self.on("visits") and self.present:
            if time + 500 >= self.alpha_due:
                self.alpha_expired(time)
            if time + 500 >= self.due:
                self.timer_expired(time)
        if self.on("byte_visits"):
            self.count_bytes()

    def advance(self, time):
        """Timers that count ticks; they expire 16 cycles into a tick."""
        if self.on("visits"):
            return
        while self.present and min(self.due, self.alpha_due) * TICK + 16 <= time:
            if self.alpha_due <= self.due:
                self.alpha_expired(self.alpha_due * TICK)
            else:
                self.timer_expired(self.due * TICK)

    def alpha_expired(self, time):
        if self.on("alpha_timer"):
            self.alpha = self.decayed(self.alpha, 1)
        self.alpha_due = self.after(time, ALPHA_INTERVAL)

    def timer_expired(self, time):
        self.due = self.after(time, INTERVAL)
        self.timers = self.counted_up(self.timers)
        self.increase(by_timer=True)
        if not self.on("context_kept") and self.rate >= self.most:
            self.bound = False

    # Alpha and cuts

    def decayed(self, alpha, n):
        if self.on("alpha_fraction"):
            for _ in range(n):
                alpha = ((alpha << 8) - alpha) >> 8
            return alpha
        n = min(n, 4095)
        return mul16(mul16(alpha, DECAY_HI[n >> 6]), DECAY_LO[n & 63])

    def raised(self, alpha):
        if self.on("alpha_fraction"):
            return ((alpha << 8) - alpha + self.one) >> 8
        return min(ONE, alpha + mul16(ONE - alpha, G))

    def left(self, alpha):
        """What a cut leaves of the rate, before its limits."""
        if self.on("rate_steps"):
            steps = self.rate // STEP
            halves = alpha >> 1 if self.on("alpha_fraction") else alpha << 3
            left = (steps - (steps * halves >> 20)) * STEP
        else:
            argument = min(ONE, alpha >> 4 if self.on("alpha_fraction") else alpha)
            i, f = argument >> 8, argument & 255
            part = (DECREASE[i] * (256 - f) + DECREASE[i + 1] * f + 128) >> 8 if f else DECREASE[i]
            left = self.rate * part >> 16
        if self.on("product_32_bits"):  # 12 bits remain above the 20 bits of alpha's fraction
            left = self.rate - (self.rate - left) % (4096 * STEP)
        return left

    def cnp(self, time, field):
        self.advance(time)
        first = not self.present
        if first:
            self.bound = True
            self.rate = self.target = self.most
            self.alpha = self.one
        if not first and not self.on("alpha_timer"):
            self.alpha = self.decayed(self.alpha, (time // TICK - self.latest) * RECIP >> 32)
        raised = self.raised(self.alpha)
        left = self.left(raised if self.on("alpha_before_cut") else self.alpha)
        if field == 3 or not self.on("ecn_field"):
            self.target, self.counted = self.rate, self.sent
        self.rate = max(R_MIN, left)
        self.alpha = raised
        self.timers = self.bytes = self.grown = self.least = 0
        self.stage, self.latest = 1, time // TICK
        self.due, self.alpha_due = self.after(time, INTERVAL), self.after(time, ALPHA_INTERVAL)

    # Increases

    def packet(self, time):
        self.advance(time)
        self.sent += 1
        if not self.on("byte_visits"):
            self.count_bytes()

    def count_bytes(self):
        if not self.present or self.stage == 0:
            self.counted = self.sent
        elif self.sent - self.counted > self.thresh:
            if self.on("byte_remainder"):
                self.counted = self.sent - self.thresh
            else:
                self.counted += self.thresh
            self.bytes = self.counted_up(self.bytes)
            self.increase(by_timer=False)

    def counted_up(self, count):
        return (count + 1) % 256 if self.on("counts_wrap") else min(255, count + 1)

    def next_stage(self, by_timer):
        least, most = min(self.timers, self.bytes), max(self.timers, self.bytes)
        hyper = least >= F if self.on("hyper_from_f") else least > F
        stage = 3 if hyper else 2 if most >= F else 1
        if self.on("stage_kept"):  # only a timer event leads from the additive stage to the hyper stage
            return 2 if self.stage == 2 and not by_timer else max(stage, self.stage)
        return stage

    def increase(self, by_timer):
        before, least = self.stage, min(self.timers, self.bytes)
        if least > self.least:
            self.grown += R_HAI
        self.least = least
        if before:
            self.stage = self.next_stage(by_timer)
        step = 0
        if self.stage == 2:
            again = by_timer and before == 2 and max(self.timers, self.bytes) >= F
            step = 0 if again and self.on("additive_once") else R_AI
        elif self.stage == 3:
            step = self.grown - (F - 1) * STEP if self.on("hyper_grows") else R_HAI
        ten = 10 * self.rate
        if self.on("sum_18_bits"):
            ten %= STEP << 20
        if self.on("target_shrinks") and 1 in (self.timers, self.bytes) and self.target > ten:
            self.target = self.even(self.target >> 3)
        else:
            self.target = self.summed(self.target, step)
        if not self.on("no_ceiling"):
            self.target = min(self.most, self.target)
        total = self.summed(self.rate, self.target)
        self.rate = self.even(total >> 1) if self.on("rate_steps") else (total + 1) >> 1

    def even(self, rate):
        return rate // STEP * STEP if self.on("rate_steps") else rate

    def summed(self, a, b):
        return (a + b) % (STEP << 18) if self.on("sum_18_bits") else a + b
