"""Functions for maps of wide-area networks: speeds written as text, delays from coordinates, hosts at routers."""

import collections
import math
import re

from dccvp.common import quantity
from dccvp.common.ending import InputError
from dccvp.importers.network import Link, Node, reached, size_text, unique_name

SETTINGS = {"hosts": "at each node (1)", "rate": "of links whose speed is not known (10Gbps)",
            "host_rate": "of the hosts' links (that of the fastest link at the node)",
            "detour": "length of a cable over that of the great circle (1.5)",
            "delay": "of links without coordinates (1ms)"}
EARTH_KM, PS_PER_KM = 6371.0, 5_000_000
NAMED = {"gige": 10**9, "gigabitethernet": 10**9, "10gige": 10**10, "10ge": 10**10, "100ge": 10**11, "40ge": 4 * 10**10,
         "ge": 10**9, "fe": 10**8, "fastethernet": 10**8, "e1": 2_048_000, "e3": 34_368_000, "t1": 1_544_000,
         "t3": 44_736_000, "ds3": 44_736_000, "ds1": 1_544_000}
UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}


def rate_of_text(text):
    """Returns the rate in bit/s of a label such as OC-192c, STM-16, 10 Gbps, <155 Mbps, GigE; None if the text
    contains no rate."""
    plain = text.strip()
    optical = re.search(r"\b(OC|STM)-?\s?([0-9]{1,4})", plain, re.I)
    if optical:
        return round(int(optical[2]) * 51_840_000 * (3 if optical[1].upper() == "STM" else 1))
    number = re.search(r"([0-9]{1,6}(?:\.[0-9]{1,6})?)\s*([kKMGT])(?:b(?:it)?(?:/s|ps|s)?|bits?/s(?:ec)?)?\b", plain)
    if number:
        return round(float(number[1]) * UNITS[number[2].upper()])
    return next((rate for name, rate in NAMED.items() if re.search(rf"\b{name}\b", plain.replace("-", ""), re.I)), None)


def choices(settings):
    """Returns the settings as {hosts, rate, host_rate, detour, delay}; InputError for an invalid setting."""
    def one(name, kind, default):
        text = settings.get(name, default)
        parsed = quantity.parse(text)
        if parsed is None or parsed[1] != kind or parsed[0] < 0:
            raise InputError(f"--set {name}={text}: {SETTINGS[name]}")
        return parsed[0]

    found = {"hosts": one("hosts", "", "1"), "rate": int(one("rate", "rate", "10Gbps")),
             "host_rate": int(one("host_rate", "rate", "1bps")) if "host_rate" in settings else None,
             "detour": float(one("detour", "", "1.5")), "delay": int(one("delay", "time", "1ms"))}
    if found["hosts"].denominator != 1 or not 1 <= found["hosts"] <= 256:
        raise InputError(f"--set hosts={settings['hosts']}: 1 to 256")
    if not 1 <= found["detour"] <= 10:
        raise InputError(f"--set detour={settings['detour']}: 1 to 10")
    found["hosts"] = int(found["hosts"])
    return found


def delay_between(a, b, detour):
    """Returns the delay in ps between two points, each (longitude, latitude) in degrees."""
    (lon_a, lat_a), (lon_b, lat_b) = [tuple(map(math.radians, place)) for place in (a, b)]
    half = math.sin((lat_b - lat_a) / 2) ** 2 + math.cos(lat_a) * math.cos(lat_b) * math.sin((lon_b - lon_a) / 2) ** 2
    kilometres = 2 * EARTH_KM * math.asin(min(1.0, math.sqrt(half)))
    return round(kilometres * detour * PS_PER_KM)


def in_range(rate):
    """Clamps a rate to the range that the platform accepts for a link."""
    return min(max(rate, 10**6), 10**13)


def add_hosts(imported, routers, choice):
    """Adds hosts at each of the routers, given by index. Hosts come before all other nodes, so that they are numbered
    by router."""
    fastest = dict.fromkeys(range(len(imported.nodes)), 0)
    for end, link in imported.ends():
        fastest[end] = max(fastest[end], link.rate)
    taken = {node.name for node in imported.nodes}
    for router in routers:
        for number in range(choice["hosts"]):
            node = imported.nodes[router]
            name = f"{node.name}_h" + (str(number) if choice["hosts"] > 1 else "")
            imported.nodes.append(Node(unique_name(name, taken), True, node.origin))
            rate = choice["host_rate"] or fastest[router] or choice["rate"]
            imported.links.append(Link(router, len(imported.nodes) - 1, in_range(rate), 10**6))
    links = collections.Counter(end for end, _ in imported.ends())
    size = max(max(links.values(), default=0) * max(fastest.values(), default=0) // 8 // 10, 32 * 2**20)
    size = min(-(-size // 2**20), 2**16) * 2**20
    imported.settings["switch"] = {"buffer": size_text(size), "pfc": {"enabled": False}}
    imported.notes.assumed.append(f"routers drop packets instead of pausing senders, and have a buffer of "
                                  f"{size_text(size)}: 100 ms of the fastest link for each link")
    imported.notes.assumed.append(f"{choice['hosts']} hosts at each of {len(routers)} nodes, "
                                  + ("--set host_rate" if choice["host_rate"] else "as fast as the node's fastest link")
                                  + ", 1 us away (the file has no hosts)")


def largest_part(imported):
    """Returns the indices of the nodes in the largest connected component."""
    neighbours = imported.neighbours()
    parts: list[set] = []
    seen: set = set()
    for first in range(len(imported.nodes)):
        if first not in seen:
            parts.append(reached(neighbours, first))
            seen |= parts[-1]
    return max(parts, key=len, default=set())


def keep(imported, kept):
    """Removes all nodes except `kept`, and the links of removed nodes."""
    order = sorted(kept)
    index = {old: new for new, old in enumerate(order)}
    imported.nodes = [imported.nodes[old] for old in order]
    imported.links = [link for link in imported.links if link.a in index and link.b in index]
    for link in imported.links:
        link.a, link.b = index[link.a], index[link.b]
