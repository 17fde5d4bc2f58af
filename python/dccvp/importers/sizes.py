"""dccvp import sizes: imports distributions of flow sizes in the formats of several traffic generators, as a .cdf
file of the platform (bytes, cumulative percent, linear in between)."""

import fractions

from dccvp.common.ending import InputError
from dccvp.importers.network import Imported, decimal, plural
from dccvp.importers.source import base_name, exact, quoted, read

SETTINGS = {"unit": "of the sizes, bytes or packets (bytes; packets for three columns)",
            "packet": "bytes of a packet (1460)",
            "between": "linear or steps (by the form of the file)",
            "load": "of the example's traffic (0.5)"}
MOST = 10**12


class Distribution:
    """A distribution of flow sizes: points (bytes, share of flows up to this size); `steps`: only the sizes of the
    points occur; `mean_said`: the mean that the file states, in its unit."""

    def __init__(self, source, settings):
        self.source = source
        self.head: str | None = None  # words of a first line that contains no numbers
        rows = self._rows()
        columns = {len(words) for words in rows}
        self.mean_said = None
        if len(rows[0]) == 1 and len(rows) > 1:
            self.mean_said = source.number(rows[0][0], "the mean", 0, MOST)
            rows = rows[1:]
            columns = {len(words) for words in rows}
        if len(columns) != 1 or not columns <= {2, 3}:
            odd = next(words for words in rows if len(words) != len(rows[0]) or len(words) not in (2, 3))
            source.fail(odd[0], f"expected rows of two columns, or of three, not {plural(len(odd), 'column')}")
        self.columns = columns.pop()
        self.form = "Homa's" if self.mean_said is not None else {2: "size and share", 3: "ns-2's"}[self.columns]
        unit = settings.get("unit", "packets" if self.columns == 3 else "bytes")
        if unit not in ("bytes", "packets"):
            raise InputError(f"--set unit={unit}: bytes or packets")
        packet = exact(settings.get("packet", "1460"))
        if packet is None or not 1 <= packet <= 65535:
            raise InputError(f"--set packet={settings['packet']}: 1 to 65535 bytes")
        self.unit, self.scale = unit, packet if unit == "packets" else fractions.Fraction(1)
        between = settings.get("between", "steps" if self.mean_said is not None else "linear")
        if between not in ("linear", "steps"):
            raise InputError(f"--set between={between}: linear or steps")
        self.steps = between == "steps"
        self.points = self._points(rows)

    def _rows(self):
        rows = []
        for at, line in self.source.lines():
            text = line.split("#")[0]
            if ";" in text:  # a file with semicolons uses commas as decimal points
                text = text.replace(",", ".").replace(";", " ")
            words = self.source.words_of(at, text.replace(",", " ").replace("%", " "))
            if words:
                rows.append(words)
        if not rows:
            self.source.fail(0, "no point of a distribution")
        if len(rows) > 1 and all(exact(word.text) is None for word in rows[0]):
            self.head = " ".join(word.text for word in rows.pop(0))
        return rows

    def _points(self, rows):
        source, points = self.source, []
        last = source.number(rows[-1][-1], "the last share", 0, 100)
        if not (abs(last - 1) <= fractions.Fraction(1, 1000) or abs(last - 100) <= fractions.Fraction(1, 10)):
            source.fail(rows[-1][-1], f"the last share is 1 or 100, not {quoted(rows[-1][-1].text)}")
        self.percent = last > 2
        full = 100 if self.percent else 1
        for words in rows:
            size = source.number(words[0], "a size", 0, MOST) * self.scale
            share = source.number(words[-1], "a share", 0, full + fractions.Fraction(full, 1000)) / full
            share = min(share, fractions.Fraction(1))
            if points and (size < points[-1][0] or share < points[-1][1]):
                source.fail(words[0], "sizes and shares do not fall")
            points.append((size, share))
        points[-1] = (points[-1][0], fractions.Fraction(1))
        if points[-1][0] < 1:
            source.fail(rows[-1][0], "no size above 0")
        return points

    def mean(self):
        """Returns the exact mean in bytes."""
        total, before = fractions.Fraction(0), (None, fractions.Fraction(0))
        for size, share in self.points:
            part = share - before[1]
            low = size if self.steps or before[0] is None else before[0]
            total += part * (low + size) / 2
            before = (size, share)
        return total

    def text(self):
        """Returns the distribution as the text of a .cdf file: whole bytes, percent from 0 to 100; a repeated size
        is a step."""
        rows: list[tuple[int, fractions.Fraction]] = []

        def add(size, share):
            size = max(round(size), 0)
            if not rows or rows[-1] != (size, share):
                rows.append((size, share))

        previous = fractions.Fraction(0)
        for place, (size, share) in enumerate(self.points):
            if place == 0 and share > 0 or self.steps:
                add(size, previous)
            add(size, share)
            previous = share
        return "".join(f"{size} {decimal(round(share * 100, 6))}\n" for size, share in rows)


def read_files(paths, settings):
    result = Imported()
    load = exact(settings.get("load", "0.5"))
    if load is None or not fractions.Fraction(1, 1000) <= load <= 2:
        raise InputError(f"--set load={settings.get('load')}: 0.001 to 2")
    for number, path in enumerate(paths):
        source = read(path)
        found = Distribution(source, settings)
        stem = base_name(source.name).rsplit(".", 1)[0] or "sizes"
        name = ("".join(c if c.isalnum() or c in "_-" else "_" for c in stem) or "sizes") + ".cdf"
        if name in result.files:
            name = f"{number}_{name}"
        result.files[name] = found.text()
        mean = found.mean()
        result.notes.read.append(f"{base_name(source.name)}: {plural(len(found.points), 'point')}, {found.form} form, "
                                 f"mean {float(mean):.6g} B")
        result.notes.assumed.append(f"{base_name(source.name)}: sizes in {found.unit}"
                                    + (f" of {decimal(found.scale)} B" if found.unit == "packets" else "")
                                    + f", shares in {'percent' if found.percent else 'parts of 1'}, "
                                    + ("steps" if found.steps else "linear between points"))
        if found.head is not None:
            result.notes.ignored.append(f"{base_name(source.name)}: the head {quoted(found.head)}; sizes come first, "
                                        "shares last")
        if found.mean_said is not None and abs(found.mean_said * found.scale - mean) > mean / 100:
            result.notes.ignored.append(f"{base_name(source.name)}: the mean that the first line states, "
                                        f"{decimal(found.mean_said * found.scale)} B; the points give "
                                        f"{float(mean):.6g} B")
        if number == 0:
            result.traffic.append({"kind": "poisson", "sizes": name, "load": decimal(load), "flows_per_host": 100})
    result.settings["host"] = {"driver": "none"}
    result.notes.assumed.append("the example's traffic: hosts on one switch, 100 flows each; traffic.N.sizes takes the "
                                ".cdf files anywhere")
    return result
