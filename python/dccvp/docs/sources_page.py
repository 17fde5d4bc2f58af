"""The page of docs/sources.yaml: the statements of the source documents and their evidence.

  tool.py sources-page            prints the page; the documentation site contains it
  tool.py sources-page --check    checks the evidence only

Exit 1, with the line, if a line lacks a key that its state needs, or if its evidence is gone: a file or words
in a file that `where` names, a test that `test` names, a figure of configs/reproduce that `figures` names. A test
counts if its file's name, its own name, comment or body has a word of the line (`says`, or `mechanism` where the
test has other words). A line that is measured needs a `why` that begins with "outside: " if a figure that it names lies
outside its bounds; it has a word of each such figure, or of its run. Every paragraph of the patent that describes a
part or a step of the system needs its module in RTL, its model and the test of the module.
"""

import pathlib
import re
import sys

import yaml

from dccvp.common.ending import InputError
from dccvp.common.text_table import markdown
from dccvp.experiments import reproduce_plan
from dccvp.experiments.figures import accepted_text

ROOT = pathlib.Path(__file__).resolve().parents[3]

ORDERS = "Orders among experiments"

# {state: (keys that a line needs, name in the summary)}
STATES = {
    "built": ("where test", "built, with a test"),
    "measured": ("figures", "measured against the source"),
    "differs": ("where why", "built otherwise, with the reason"),
    "missing": ("why", "missing, with what it would take"),
    "outside": ("why", "outside the product, with the reason"),
}
# Columns of the survey's tables, followed by further keys of a scheme.
PROPERTIES = ("kind", "signal", "priority", "sizes", "driver", "granularity", "awareness", "hardware", "pro", "con")
SCHEME_KEYS = {"name", *PROPERTIES, "where", "figures"}
KEYS = {"at", "says", "state", "where", "test", "mechanism", "figures", "why"}
# Paragraphs of the patent about the system's parts (3 to 9, 13 to 17), its steps (19 to 53) and its hardware (56).
# Other paragraphs only introduce a list of steps.
PARAGRAPHS = {*range(3, 10), *range(13, 18), *range(19, 54), 56} - {26, 30, 38, 45, 48}

# Matches the first line of a test: the name of a C++ test, or a Python method or class.
TEST = re.compile(r"^(?:TEST(?:_F|_P)?\(\w+, (\w+)\)|\s*def (test_\w+)\(|class (\w+)\(.*(?:Test|Case)\w*\))",
                  re.MULTILINE)
# Frequent words that say nothing about the mechanism of a line.
COMMON = frozenset("""
    about above after again against alike alone also another answer before begin below between both bytes called central
    comes different does done each else every first flow flows four from have host hosts into itself kept keep less link
    links long lost made makes many more most name network next none number once only other others over packet packets
    parts same send sender senders sends several short some such take takes than that their them then there these they
    this those through time times told under until used uses value what when where which while whole will with without
    word work""".split())


def measured_rows(folder):
    """Returns {title: [(run, figure, accepted, outside)]} for the experiments in a folder, and for the published
    orders among them."""
    rows = {e.title: [(run.name, figure.name, accepted_text(figure), bool(figure.reason))
                      for run in e.runs for figure in run.figures]
            for e in map(reproduce_plan.read, reproduce_plan.find(folder))}
    orders = yaml.safe_load((folder / "orders.yml").read_text(encoding="utf-8"))
    return {**rows, ORDERS: [(order.get("run", order.get("experiment")), order["figure"],
                              " < ".join(order["ascending"]), bool(order.get("reason"))) for order in orders]}


def found(where, root):
    """Returns None if the evidence ("file" or "file :: words") exists, else the reason as a sentence."""
    name, _, words = (part.strip() for part in where.partition(" :: "))
    path = root / name
    if not path.is_file():
        return f"no file {name}"
    if words and words not in path.read_text(encoding="utf-8"):
        return f"{name} does not say '{words}'"
    return None


def stems(text):
    """Returns the words of a text that name its mechanism, without their endings."""
    words = re.findall(r"[A-Za-z0-9]{3,}", text + " " + re.sub(r"([a-z0-9])([A-Z])", r"\1 \2", text))
    return {word.lower()[:5] for word in words if word.lower() not in COMMON and not word.isdigit()}


def text_of_test(text, name):
    """Returns name, comment and body of the test `name` in a file's text (a class reaches up to the next class);
    None if the file has no such test."""
    starts = list(TEST.finditer(text))
    for place, match in enumerate(starts):
        if name in match.groups():
            comment = re.search(r"(?:^[ ]*(?://|#)[^\n]*\n)*\Z", text[:match.start()], re.MULTILINE)
            ends = [other.start() for other in starts[place + 1:] if other[3] or not match[3]]
            return (comment[0] if comment else "") + text[match.start():(ends or [len(text)])[0]]
    return None


def fault_of_test(where, mechanism, root):
    """Returns None if a test ("file :: name of the test") exists and mentions the mechanism, else the reason."""
    name, _, test = (part.strip() for part in where.partition(" :: "))
    path = root / name
    if not name.startswith("tests/") or not test:
        return f"'{where}' is no test: write tests/FILE :: NAME"
    if not path.is_file():
        return f"no file {name}"
    text = text_of_test(path.read_text(encoding="utf-8"), test)
    if text is None:
        return f"{name} has no test '{test}'"
    if not stems(mechanism) & stems(f"{path.stem}\n{text}"):
        return f"the test {test} has no word of '{mechanism}'"
    return None


def chosen(wanted, rows):
    """Returns the measured rows that [title], [title, run] or [title, run, figure] selects; KeyError if there is
    none."""
    title = wanted[0]
    if title not in rows:
        raise KeyError(f"configs/reproduce has no experiment '{title}'")
    found_rows = [row for row in rows[title] if list(row[:len(wanted) - 1]) == wanted[1:]]
    if not found_rows:
        raise KeyError(f"configs/reproduce has no figure {wanted[1:]} in '{title}'")
    return found_rows


def gone(line, rows, root):
    """Returns sentences about missing evidence of a line or a scheme."""
    faults = [fault for where in line.get("where", []) if (fault := found(where, root))]
    for wanted in line.get("figures", []):
        try:
            chosen(wanted, rows)
        except KeyError as error:
            faults.append(error.args[0])
    return faults


def faults_of(line, rows, root):
    """Returns sentences about the faults of a line of docs/sources.yaml."""
    state = line.get("state")
    if state not in STATES:
        return [f"state '{state}' (known: {', '.join(STATES)})"]
    faults = [f"unknown key '{key}'" for key in line if key not in KEYS]
    faults += [f"'{key}' is empty" for key in ("at", "says", *STATES[state][0].split()) if not line.get(key)]
    if line.get("test"):
        fault = fault_of_test(line["test"], line.get("mechanism", line.get("says", "")), root)
        faults += [fault] if fault else []
    missing = gone(line, rows, root)
    if state == "measured" and not missing:
        said = stems(line.get("why", "")) if line.get("why", "").startswith("outside: ") else set()
        outside = [f"{row[0]}: {row[1]}" for wanted in line.get("figures", [])
                   for row in chosen(wanted, rows) if row[3] and not said & stems(f"{row[0]} {row[1]}")]
        faults += [f"measured, but '{figure}' lies outside, and no 'why' says so" for figure in outside[:1]]
    return faults + missing


def faults_of_scheme(scheme, rows, root):
    """Returns sentences about the faults of a scheme in the survey."""
    faults = [f"unknown key '{key}'" for key in scheme if key not in SCHEME_KEYS]
    faults += [f"'{key}' is empty" for key in ("name", "kind") if not scheme.get(key)]
    return faults + gone(scheme, rows, root)


def faults_of_paragraphs(paragraphs, root):
    """Returns sentences about paragraphs of the patent without RTL, model or test, and about missing evidence."""
    numbers = [paragraph.get("at") for paragraph in paragraphs]
    faults = [f"paragraph {number} is missing" for number in sorted(PARAGRAPHS - set(numbers))]
    faults += [f"paragraph {number} stands twice" for number in sorted(set(numbers)) if numbers.count(number) > 1]
    for paragraph in paragraphs:
        rtl, model = paragraph.get("rtl", []), paragraph.get("model", [])
        reasons = [f"'{key}' is empty" for key in ("says", "model", "test") if not paragraph.get(key)]
        if not rtl and not paragraph.get("why"):
            reasons.append("neither 'rtl' nor 'why'")
        reasons += [f"{where} is no file of rtl" for where in rtl if not where.startswith("rtl/")]
        reasons += [fault for where in (*rtl, *model) if (fault := found(where, root))]
        if paragraph.get("test"):
            fault = fault_of_test(paragraph["test"], paragraph["test"], root)
            reasons += [fault] if fault else []
        faults += [f"paragraph {paragraph.get('at')}: {reason}" for reason in reasons]
    return faults


def paragraphs_table(paragraphs):
    """Returns the lines of the table of the patent's paragraphs and their hardware."""
    lines = ["", "## The patent in hardware, paragraph by paragraph", "",
             "Each test compares the module with the model or with an oracle that shares no code with either.", ""]
    rows = []
    for paragraph in paragraphs:
        rtl, model = (", ".join(f"`{pathlib.Path(where.partition(' :: ')[0]).name}`" for where in places)
                      for places in (paragraph.get("rtl", []), paragraph["model"]))
        file, name = (part.strip() for part in paragraph["test"].split(" :: "))
        rows.append((paragraph["at"], paragraph["says"], rtl, model, f"{pathlib.Path(file).name}: {name}",
                     paragraph.get("why", "")))
    return lines + markdown(("paragraph", "says", "RTL", "model", "test of the RTL", "without RTL"), rows)


def evidence(line):
    """Returns the table cell that names the experiments and the files of a line, and the reason for a difference."""
    cells = list(dict.fromkeys(f"*{wanted[0]}*" for wanted in line.get("figures", [])))
    for where in line.get("where", []):
        name, _, words = (part.strip() for part in where.partition(" :: "))
        cells.append(f"`{name}`" + (f" ({words})" if words else ""))
    if line.get("test"):
        cells.append("test " + line["test"].partition(" :: ")[2])
    if line.get("why"):
        cells.append(line["why"])
    return "; ".join(cells)


def schemes_table(schemes):
    """Returns the lines of the table of the survey's schemes."""
    return ["", "## The survey's tables", "",
            "What tables 1 to 7 of the traffic-control survey say of each scheme, where it is, and which experiments",
            "measure it.", "",
            *markdown(("scheme", *PROPERTIES[:-2], "for it", "against it", "where, figures"), [
                (scheme["name"], *(scheme.get(name, "") for name in PROPERTIES), evidence(scheme))
                for scheme in schemes])]


def page(documents, paragraphs, schemes):
    states = {document["name"]: [line["state"] for line in document["lines"]] for document in documents}
    states["all"] = [state for of in list(states.values()) for state in of]
    lines = [
        "# The sources, line by line",
        "",
        "After this page you know how completely the product covers the five documents it comes from, and where it",
        "departs from them. Generated from `docs/sources.yaml`. *Titles* are experiments of",
        "[Published experiments](../reproductions.md). The survey's schemes stand side by side on",
        "[Schemes](../schemes.md#side-by-side).",
        "",
        *markdown(("document", *(name for _, name in STATES.values())),
                  [(name, *(of.count(state) for state in STATES)) for name, of in states.items()]),
    ]
    for document in documents:
        lines += ["", f"## {document['name']}", "", document["about"][0].upper() + document["about"][1:] + ".", "",
                  *markdown(("at", "says", "state", "where, figures, reason"), [
                      (line["at"], line["says"], line["state"], evidence(line)) for line in document["lines"]])]
    return "\n".join(lines + paragraphs_table(paragraphs) + schemes_table(schemes)) + "\n"


def main(arguments, root=ROOT):
    if arguments not in ([], ["--check"]):
        raise InputError(__doc__)
    sources = yaml.safe_load((root / "docs/sources.yaml").read_text(encoding="utf-8"))
    documents, paragraphs, schemes = sources["documents"], sources["paragraphs"], sources["schemes"]
    rows = measured_rows(root / "configs/reproduce")
    faults = [f"docs/sources.yaml: {document['name']}, {line.get('at')}: {fault}"
              for document in documents for line in document["lines"] for fault in faults_of(line, rows, root)]
    faults += [f"docs/sources.yaml: schemes, {scheme.get('name')}: {fault}"
               for scheme in schemes for fault in faults_of_scheme(scheme, rows, root)]
    faults += [f"docs/sources.yaml: {fault}" for fault in faults_of_paragraphs(paragraphs, root)]
    if faults:
        print("\n".join(faults), file=sys.stderr)
        return 1
    if not arguments:
        sys.stdout.write(page(documents, paragraphs, schemes))
    return 0
