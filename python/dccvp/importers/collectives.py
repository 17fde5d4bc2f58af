"""Collective operations of traces: as entries of the platform's traffic where it has them, else as flows step by step,
each at the time at which it would begin on an idle network."""

from dccvp.importers.network import Flow, size_text, time_text

PLATFORM = {"all_reduce": "ring_all_reduce", "all_to_all": "all_to_all"}
KINDS = ("all_reduce", "reduce", "all_gather", "gather", "scatter", "broadcast", "all_to_all", "reduce_scatter",
         "reduce_scatter_block", "barrier")


def host_list(numbers):
    """A list of host numbers as the platform writes it: [0, 4..7]."""
    parts, begin = [], 0
    for place in range(1, len(numbers) + 1):
        if place < len(numbers) and numbers[place] == numbers[place - 1] + 1:
            continue
        first, last = numbers[begin], numbers[place - 1]
        parts.append(first if first == last else f"{first}..{last}")
        begin = place
    return parts


class Collectives:
    """Adds operations to an Imported. `ranks` are indices of nodes, which are hosts."""

    def __init__(self, imported, transfers, flows):
        self.imported, self.transfers, self.flows = imported, transfers, flows
        self.numbers = imported.host_numbers()
        self.as_entries: dict[str, int] = {}
        self.as_flows: dict[str, int] = {}

    def add(self, kind, ranks, count, start):
        """The time in ps at which an operation that begins at `start` ends. `count`: bytes of the operation: what each
        rank has in the end of all_reduce and all_to_all, or contributes to all_gather and gather."""
        end = self._added(kind, list(ranks), count, start)
        self.imported.lasts = max(self.imported.lasts, end)
        return end

    def _added(self, kind, ranks, count, start):
        if len(ranks) < 2 or count == 0 or kind == "barrier":
            return start
        if kind in PLATFORM:
            self.imported.traffic.append({"kind": "collective", "shape": PLATFORM[kind],
                                          "hosts": host_list([self.numbers[rank] for rank in ranks]),
                                          "bytes": size_text(max(count, len(ranks))), "rounds": 1,
                                          "start": time_text(start)})
            self.as_entries[kind] = self.as_entries.get(kind, 0) + 1
            steps = 2 * (len(ranks) - 1) if kind == "all_reduce" else len(ranks) - 1
            return start + steps * self._step(ranks, -(-count // len(ranks)))
        self.as_flows[kind] = self.as_flows.get(kind, 0) + 1
        if kind in ("all_gather", "reduce_scatter", "reduce_scatter_block"):
            part = count if kind == "all_gather" else -(-count // len(ranks))
            for step in range(len(ranks) - 1):
                begin = start + step * self._step(ranks, part)
                for place, rank in enumerate(ranks):
                    self._flow(rank, ranks[(place + 1) % len(ranks)], part, begin)
            return start + (len(ranks) - 1) * self._step(ranks, part)
        end = start
        for rank in ranks[1:]:
            ends = (rank, ranks[0]) if kind in ("reduce", "gather") else (ranks[0], rank)
            part = -(-count // len(ranks)) if kind == "scatter" else count
            self._flow(*ends, part, start)
            end = max(end, start + self.transfers.received(*ends, part))
        return end

    def _flow(self, source, target, count, start):
        self.flows.append(Flow(source, target, 0, 100, max(count, 1), start))

    def _step(self, ranks, count):
        return max(self.transfers.received(rank, ranks[(place + 1) % len(ranks)], count)
                   for place, rank in enumerate(ranks))

    def note(self):
        notes = self.imported.notes
        for kind, count in self.as_entries.items():
            notes.read.append(f"{count} x {kind}: traffic of kind collective, {PLATFORM[kind]}")
        for kind, count in self.as_flows.items():
            notes.not_expressed.append(f"{count} x {kind} as a collective; its steps are flows at times of their own")
