"""Estimates times of transfers and of collectives on an idle network."""

from dccvp.importers.waiting import RINGS


class Transfers:
    """Estimates transfers between the ranks of an Imported network, each alone at the rate of the slower of the two
    host links. `per_host`: number of consecutive ranks on a host; data between ranks of one host takes no time."""

    def __init__(self, imported, per_host=1):
        self._per_host = per_host
        self._rate: dict[int, int] = {}
        self._delay: dict[int, int] = {}
        for link in imported.links:
            for end in (link.a, link.b):
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
