"""dccvp import graphml: imports maps of the Internet Topology Zoo, in the form of its source files and of its
archive."""

import re
import xml.etree.ElementTree as ElementTree

from dccvp.common.ending import InputError
from dccvp.importers import geography
from dccvp.importers.network import MOST_LINKS, MOST_NODES, Imported, Link, Node, plural, some, unique_name
from dccvp.importers.source import base_name, exact, quoted, read

SETTINGS = geography.SETTINGS
SPEED_LABELS = ("LinkLabel", "LinkSpeed", "label", "LinkNote", "LinkType")


def parse(source):
    """Returns the root of an XML text; InputError with the place. A DTD, which could define entities, is refused."""
    match = re.search(r"<!(DOCTYPE|ENTITY)", source.text)
    if match:
        source.fail(match.start(), "a document type definition; the formats have none")
    try:
        # the text is already decoded, so a declared encoding does not count
        return ElementTree.fromstring(source.text)
    except ElementTree.ParseError as error:
        line, column = error.position
        message = re.sub(r":? line \d+, column \d+$", "", str(error))
        raise InputError(f"{source.name}:{line}:{column + 1}: not XML: {message}") from None
    except (ValueError, RecursionError) as error:
        source.fail(0, f"not XML: {error}")


def local(element):
    """Returns an element's name without its namespace."""
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


def children(element, name):
    return [child for child in element if local(child) == name]


class Map:
    """The nodes and edges of a map, with their data by name."""

    def __init__(self, source):
        self.source = source
        root = parse(source)
        if local(root) != "graphml":
            source.fail(0, f"the root is {quoted(local(root))}, not graphml")
        self.keys = {}
        for key in children(root, "key"):
            self.keys[key.get("id")] = key.get("attr.name") or key.get("yfiles.type") or ""
        graphs = children(root, "graph")
        if not graphs:
            source.fail(0, "no graph in the file")
        self.graph = graphs[0]

    def data(self, element):
        """Returns {name: text} of the data of an element; the label of a drawing is under 'label'."""
        found = {}
        for data in children(element, "data"):
            name = self.keys.get(data.get("key"), data.get("key") or "")
            labels = [child for child in data.iter() if local(child) in ("NodeLabel", "EdgeLabel")]
            if labels:
                found.setdefault("label", "".join(labels[0].itertext()).strip())
            elif data.text and data.text.strip():
                found[name] = data.text.strip()
        return found

    def place(self, element, *names):
        """Returns the offset in the file of the text of an element with an attribute, for error messages."""
        for name in names:
            value = element.get(name)
            at = self.source.text.find(f'{name}="{value}"') if value is not None else -1
            if at >= 0:
                return at
        return 0


def read_files(paths, settings):
    choice = geography.choices(settings)
    if len(paths) > 1:
        read(paths[1]).fail(0, "graphml takes one file")
    source = read(paths[0])
    found = Map(source)
    imported = Imported()
    index, places, external = _nodes(found, imported)
    _edges(found, imported, index, places, choice)
    name = base_name(source.name)
    imported.notes.read.append(f"{name}: {plural(len(imported.nodes), 'node')}, {plural(len(imported.links), 'link')}")
    kept = geography.largest_part(imported)
    if not imported.links:
        source.fail(0, "a map without a link between two nodes")
    if len(kept) < len(imported.nodes):
        left = [imported.nodes[i].name for i in range(len(imported.nodes)) if i not in kept]
        imported.notes.ignored.append(f"nodes apart from the largest connected part: {some(left)}")
    outside = {imported.nodes[i].name for i in external}
    geography.keep(imported, kept)
    routers = [i for i, node in enumerate(imported.nodes) if node.name not in outside]
    routers = routers or list(range(len(imported.nodes)))
    if outside:
        imported.notes.assumed.append(f"no host at external nodes: {some(sorted(outside))}")
    geography.add_hosts(imported, routers, choice)
    return imported


def _nodes(found, imported):
    """Reads the nodes: ({id: index}, {index: (longitude, latitude)}, indices of external nodes)."""
    source, taken = found.source, set()
    index: dict = {}
    places, external = {}, []
    for element in children(found.graph, "node"):
        ident = element.get("id")
        if ident is None:
            source.fail(0, "a node without an id")
        if ident in index:
            source.fail(found.place(element, "id"), f"node {quoted(ident)} is there twice")
        if len(index) >= MOST_NODES:
            source.fail(0, f"more than {MOST_NODES} nodes")
        data = found.data(element)
        index[ident] = len(imported.nodes)
        label = data.get("label") or ident
        imported.nodes.append(Node(unique_name(label.split("\n")[0], taken), False, f"{ident} {label}"))
        coordinates = [exact(data.get(name, "")) for name in ("Longitude", "Latitude")]
        if None not in coordinates and abs(coordinates[0]) <= 360 and abs(coordinates[1]) <= 90:
            places[index[ident]] = tuple(map(float, coordinates))
        if data.get("Internal") == "0" or data.get("hyperedge") == "1":
            external.append(index[ident])
    return index, places, external


def _speed(data):
    """Returns the rate in bit/s of an edge; None if the file does not state it."""
    raw = exact(data.get("LinkSpeedRaw", ""))
    if raw:
        return round(raw)
    number = exact(data.get("LinkSpeed", ""))
    units = data.get("LinkSpeedUnits", "").strip().upper()[:1]
    if number and units in geography.UNITS and units:
        return round(number * geography.UNITS[units])
    for name in SPEED_LABELS:
        rate = geography.rate_of_text(data[name]) if name in data else None
        if rate:
            return rate
    return None


def _edges(found, imported, index, places, choice):
    source = found.source
    directed = found.graph.get("edgedefault") == "directed"
    pairs: dict = {}
    unknown, far, loops, odd = 0, 0, 0, []
    for element in children(found.graph, "edge"):
        ends = []
        for which in ("source", "target"):
            ident = element.get(which)
            if ident not in index:
                source.fail(found.place(element, which), f"an edge names {quoted(str(ident))}, which is no node")
            ends.append(index[ident])
        if ends[0] == ends[1]:
            loops += 1
            continue
        if len(imported.links) >= MOST_LINKS:
            source.fail(0, f"more than {MOST_LINKS} edges")
        rate = _speed(found.data(element))
        unknown += rate is None
        rate = rate or choice["rate"]
        if geography.in_range(rate) != rate:
            odd.append(f"{rate} bit/s")
        if ends[0] in places and ends[1] in places:
            delay = min(geography.delay_between(places[ends[0]], places[ends[1]], choice["detour"]), 10**12)
        else:
            delay, far = choice["delay"], far + 1
        # A directed graph that contains both directions of an edge means one cable.
        if directed and pairs.get((ends[1], ends[0]), 0) > 0:
            pairs[ends[1], ends[0]] -= 1
            continue
        pairs[ends[0], ends[1]] = pairs.get((ends[0], ends[1]), 0) + 1
        imported.links.append(Link(ends[0], ends[1], geography.in_range(rate), delay))
    notes = imported.notes
    if unknown:
        notes.assumed.append(f"{plural(unknown, 'edge')} without a speed (--set rate)")
    if far:
        notes.assumed.append(f"{plural(far, 'edge')} without coordinates of both ends (--set delay)")
    if len(imported.links) > far:
        notes.assumed.append(f"delays of great circles, 5 us/km times {choice['detour']:g} (--set detour)")
    if loops:
        notes.ignored.append(f"{plural(loops, 'edge')} from a node to itself")
    if odd:
        notes.assumed.append(f"rates outside 1 Mb/s to 10 Tb/s are brought inside: {some(sorted(set(odd)))}")
