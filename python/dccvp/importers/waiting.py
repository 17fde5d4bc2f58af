"""Writes lines of a traffic file that wait for other lines: flows, computations, and the steps of collective
operations; estimates the times of transfers and of collectives on an idle network."""

from dccvp.importers.network import Flow, plural

KINDS = ("all_reduce", "reduce", "all_gather", "gather", "scatter", "broadcast", "all_to_all", "reduce_scatter",
         "reduce_scatter_block", "barrier")
# ring collectives: number of passes with n - 1 steps each
RINGS = {"all_reduce": 2, "all_gather": 1, "reduce_scatter": 1, "reduce_scatter_block": 1}
# Greatest number of awaited names in one line, since reading time grows with the list; a longer list becomes a
# computation of no time.
MOST_NAMES = 4


PROCESSORS = 256  # number of processors of a host


def _known(after):
    """Returns the events of a line that exist; a computation, whose name begins with c, has no sending that could
    end."""
    return tuple((name, sent and not name.startswith("c")) for name, sent in after)


class Lines:
    """Lines of a traffic file in the order in which they are added. Dependencies are a list of (name of a line,
    True if the end of its sending counts), called events. `per_host`: number of consecutive ranks on a host;
    messages between ranks of one host take no time and are no flows."""

    def __init__(self, per_host=1):
        self.per_host = per_host
        self.local = 0  # Number of sends between ranks of one host.
        self.lines: list[Flow] = []
        self.collectives: dict[str, int] = {}

    def flow(self, source, target, count, after=()):
        """Adds a flow and returns its name; 0 bytes become 1."""
        source_host, target_host = source // self.per_host, target // self.per_host
        if source_host == target_host:
            self.local += 1
            return self.compute(source, 0, after=after)[0]
        name = f"f{len(self.lines)}"
        self.lines.append(Flow(source_host, target_host, 0, 100, min(max(count, 1), 2**40), 0, name, _known(after)))
        return name

    def compute(self, rank, time, processor=0, after=(), delay=0):
        """Adds a computation of `time` ps, which starts `delay` ps after the events; returns the event of its end."""
        name = f"c{len(self.lines)}"
        host, place = divmod(rank, self.per_host)
        span = PROCESSORS // self.per_host
        if processor >= span:  # only loads and stores of memory, which are many, have processor numbers this large
            processor = 2 + processor % (span - 2)
        self.lines.append(Flow(host, host, 0, 0, 0, 0, name, _known(after), delay=delay, computes=time,
                               processor=place * span + processor))
        return (name, False)

    def join(self, rank, events):
        """Returns the same events, or a single event that is reached after all of them."""
        events = list(dict.fromkeys(events))
        return events if len(events) <= MOST_NAMES else [self.compute(rank, 0, after=events)]

    def collective(self, kind, ranks, count, begins):
        """Adds a collective; returns [events by rank] of the collective's end. `count`: bytes of the operation: for
        all_reduce and all_to_all the bytes that each rank ends with, for all_gather and gather the bytes that each
        rank contributes. `begins`: [events by rank]."""
        if len(ranks) < 2 or (count == 0 and kind != "barrier"):
            return begins
        self.collectives[kind] = self.collectives.get(kind, 0) + 1
        size = len(ranks)
        share = -(-count // size)
        if kind in RINGS:
            return self._ring(ranks, RINGS[kind] * (size - 1), count if kind == "all_gather" else share, begins)
        if kind in ("all_to_all", "barrier"):
            return self._steps(kind, ranks, share, begins)
        # The first rank sends to all others, or all others to the first.
        to_first = kind in ("reduce", "gather")
        part = share if kind == "scatter" else count
        ends: list[list] = [[] for _ in ranks]
        for place in range(1, size):
            source, target = (place, 0) if to_first else (0, place)
            name = self.flow(ranks[source], ranks[target], part, begins[source])
            ends[source].append((name, True))
            ends[target].append((name, False))
        return [self.join(rank, events) for rank, events in zip(ranks, ends)]

    def _ring(self, ranks, steps, part, begins):
        received: list[list] = [[] for _ in ranks]
        for _ in range(steps):
            after: list[list] = [[] for _ in ranks]
            for place, rank in enumerate(ranks):
                following = (place + 1) % len(ranks)
                name = self.flow(rank, ranks[following], part, [*begins[place], *received[place]])
                after[following] = [(name, False)]
            received = after
        return [self.join(rank, [*begin, *events]) for rank, begin, events in zip(ranks, begins, received)]

    def _steps(self, kind, ranks, part, begins):
        """Lets each rank send to the rank 1, 2, 3, ... positions further; in a barrier 1, 2, 4, ... positions, one
        byte each."""
        size = len(ranks)
        strides = range(1, size) if kind == "all_to_all" else [1 << bit for bit in range((size - 1).bit_length())]
        waits: list[list] = [[] for _ in ranks]
        received = [list(events) for events in begins]
        for stride in strides:
            after: list[list] = [[] for _ in ranks]
            for place, rank in enumerate(ranks):
                to = (place + stride) % size
                event = (self.flow(rank, ranks[to], 1 if kind == "barrier" else part,
                                   [*begins[place], *waits[place]]), False)
                after[to] = [event]
                received[to].append(event)
            waits = after
        return [self.join(rank, events) for rank, events in zip(ranks, received)]

    def note(self, notes):
        """Adds notes for the user on how collectives were translated."""
        for kind, count in self.collectives.items():
            notes.read.append(f"{count} x {kind}: flows, step by step; each waits for what its rank got before")
        if "barrier" in self.collectives:
            notes.assumed.append("a barrier is rounds of 1-byte messages to the rank 1, 2, 4, ... places on")
        if self.local:
            notes.assumed.append(f"{plural(self.local, 'send')} between ranks of one host: no flow, and no time")
        waiting = sum(bool(line.after) for line in self.lines)
        if waiting:
            notes.read.append(f"{plural(waiting, 'line')} of the traffic file wait for others")


class Transfers:
    """Estimates transfers between the ranks of an Imported network, each alone at the rate of the slower of the two
    host links. `per_host`: number of consecutive ranks on a host; data between ranks of one host takes no time."""

    def __init__(self, imported, per_host=1):
        self._per_host = per_host
        self._rate: dict[int, int] = {}
        self._delay: dict[int, int] = {}
        for end, link in imported.ends():
            if imported.nodes[end].is_host:
                self._rate[end] = self._rate.get(end, 0) + link.rate
                self._delay[end] = max(self._delay.get(end, 0), link.delay)

    def received(self, source, target, count):
        """Returns the time in ps from the start until the last byte has arrived."""
        source, target = source // self._per_host, target // self._per_host
        if source == target:
            return 0
        rate = min(self._rate.get(source, 10**11), self._rate.get(target, 10**11))
        return count * 8 * 10**12 // rate + self._delay.get(source, 0) + self._delay.get(target, 0)

    def acknowledged(self, source, target, count):
        """Returns the time in ps from the start until the last ACK has come back."""
        return self.received(source, target, count) + self.received(source, target, 0)

    def collective(self, kind, members, size):
        """Returns the approximate time in ps of a collective on `size` bytes."""
        others = len(members) - 1
        if others < 1:
            return 0
        step = max(self.received(rank, members[(place + 1) % len(members)], 0) for place, rank in enumerate(members))
        share = size if kind in ("all_gather", "gather", "reduce", "broadcast") else -(-size // len(members))
        payload = max(self.received(rank, members[place - 1], share) - self.received(rank, members[place - 1], 0)
                      for place, rank in enumerate(members))
        return RINGS.get(kind, 1) * others * (step + payload)
