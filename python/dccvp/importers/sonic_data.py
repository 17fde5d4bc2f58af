"""Reads a SONiC CONFIG_DB and the table pg_profile_lookup.ini as data."""

import re
import typing

from dccvp.importers.network import plural
from dccvp.importers.source import Source, json_of, quoted, where

USED = {"BUFFER_POOL", "BUFFER_PROFILE", "BUFFER_PG", "BUFFER_QUEUE", "WRED_PROFILE", "QUEUE", "SCHEDULER",
        "PORT_QOS_MAP", "DSCP_TO_TC_MAP", "TC_TO_QUEUE_MAP", "TC_TO_PRIORITY_GROUP_MAP", "PFC_WD", "CABLE_LENGTH",
        "PORT", "MAP_PFC_PRIORITY_TO_QUEUE", "PFC_PRIORITY_TO_PRIORITY_GROUP_MAP", "BUFFER_PORT_INGRESS_PROFILE_LIST",
        "BUFFER_PORT_EGRESS_PROFILE_LIST"}
REFERENCE = re.compile(r"\[[A-Z_]+\|(.*)\]")


class Database:
    """A CONFIG_DB, whose tables are maps of maps of texts. Several files (buffers.json, qos.json, …) are joined row
    by row; if two files have the same field, the later file counts."""

    def __init__(self, sources):
        self.source = sources[0]
        self.dangling: dict[str, str] = {}
        self.tables: dict[str, dict[str, dict[str, str]]] = {}
        self.replaced: list[str] = []  # Fields with another value in an earlier file.
        self._source_of: dict[tuple, Source] = {}
        others: set[str] = set()
        for source in sources:
            others.update(self._add(source))
        self.others = sorted(others)
        if not self.tables:
            self.source.fail(0, "none of the tables of a CONFIG_DB for queues and buffers is there: "
                             + ", ".join(sorted(USED)))

    def _add(self, source):
        """Reads one file; returns the names of the tables that are not used."""
        self.source = source
        data = json_of(source)
        if not isinstance(data, dict):
            source.fail(0, "a CONFIG_DB is a map of tables")
        for table, rows in data.items():
            if table not in USED:
                continue
            if not isinstance(rows, dict):
                self.fail((table,), f"the table {table} is a map")
            for key, fields in rows.items():
                if not isinstance(fields, dict):
                    self.fail((table, key), f"{table} {quoted(key)} is a map of fields")
            known = self.tables.setdefault(table, {})
            for key, fields in rows.items():
                row = known.setdefault(key, {})
                self._source_of.setdefault((table, key), source)
                for name, value in fields.items():
                    text = self._text(table, key, name, value)
                    if row.get(name, text) != text:
                        self.replaced.append(f"{table} {key} {name} {row[name]}")
                    row[name] = text
                    self._source_of[table, key, name] = source
        return [table for table in data if table not in USED]

    def _text(self, table, key, name, value):
        if isinstance(value, bool):
            return str(value).lower()
        if isinstance(value, list) and all(isinstance(one, (str, int)) for one in value):
            return ",".join(map(str, value))
        if not isinstance(value, (str, int, float)):
            self.fail((table, key, name), f"{table} {quoted(key)}: {quoted(name)} is a text")
        return str(value)

    def fail(self, path, message) -> typing.NoReturn:
        source = self._source_of.get(tuple(path[:3])) or self._source_of.get(tuple(path[:2])) or self.source
        assert isinstance(source, Source)
        source.fail(where(source, *path), message)

    def table(self, name):
        return self.tables.get(name, {})

    def number(self, path, text, least, most):
        """Returns a field's text as a whole number; InputError outside least … most."""
        if not re.fullmatch(r"-?[0-9]{1,18}", text) or not least <= int(text) <= most:
            self.fail(path, f"{' '.join(path)} is a whole number from {least} to {most}, not {quoted(text)}")
        return int(text)

    def field(self, table, key, name, least, most):
        """Returns a field as a number; None if the field is missing."""
        text = self.tables[table][key].get(name)
        return None if text is None else self.number((table, key, name), text, least, most)

    def referred(self, table, key, field, target):
        """Returns the key in the table `target` that a field references, as NAME or [TABLE|NAME]; None if the field
        is missing or NULL, and for a name that the file lacks (an excerpt of a database)."""
        text = self.table(table)[key].get(field)
        if text is None or text in ("NULL", ""):
            return None
        match = REFERENCE.fullmatch(text)
        name = match[1] if match else text
        if name not in self.table(target):
            self.dangling.setdefault(f"{target} {quoted(name)}", f"{table} {quoted(key)}")
            return None
        return name

    def rows_by_number(self, table):
        """Yields (key, port, number) for each port and each number of rows such as Ethernet0,Ethernet4|3-4."""
        for key in self.table(table):
            ports, bar, numbers = key.rpartition("|")
            match = re.fullmatch(r"([0-9]{1,2})(?:-([0-9]{1,2}))?", numbers)
            if not bar or match is None:
                self.fail((table, key), f"{table}: expected PORT|NUMBER or PORT|FROM-TO, not {quoted(key)}")
            first, last = int(match[1]), int(match[2] or match[1])
            if last < first or last > 63:
                self.fail((table, key), f"{table}: no range of queues: {quoted(numbers)}")
            for port in ports.split(","):
                for number in range(first, last + 1):
                    yield key, port, number


def read_lookup(source: Source):
    """Reads a pg_profile_lookup.ini: {(speed in Mb/s, metres): profile}."""
    found = {}
    for at, line in source.lines():
        words = source.words_of(at, line.split("#")[0])
        if not words:
            continue
        if not 6 <= len(words) <= 7:
            source.fail(words[0], f"expected speed, cable, size, xon, xoff, threshold and xon_offset, not "
                        f"{plural(len(words), 'column')}")
        speed = source.integer(words[0], "a speed in Mb/s", 1, 10**8)
        cable = re.fullmatch(r"([0-9]{1,7})m", words[1].text)
        if cable is None:
            source.fail(words[1], f"expected a cable's length such as 40m, not {quoted(words[1].text)}")
        profile = {name: str(source.integer(word, name, 0, 2**40))
                   for name, word in zip(("size", "xon", "xoff"), words[2:5])}
        if not re.fullmatch(r"-?[0-9]{1,12}", words[5].text):
            source.fail(words[5], f"expected a threshold, not {quoted(words[5].text)}")
        # The value is an exponent of two, but shipped files for some ASICs contain bytes.
        profile["dynamic_th" if abs(int(words[5].text)) <= 8 else "static_th"] = words[5].text
        if len(words) == 7:
            profile["xon_offset"] = str(source.integer(words[6], "xon_offset", 0, 2**40))
        found[speed, int(cable[1])] = profile
    if not found:
        source.fail(0, "no profile in the file")
    return found
