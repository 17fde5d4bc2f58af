"""Lists the RAM arrays of an elaborated design: tool.py ram-list DESIGN.json (yosys write_json).

Writes a Markdown table with the path, depth and width of every instance of ram_1r1w_array.
"""
import json
import sys


def walk(modules, name, path, rows):
    for cell, body in sorted(modules[name].get("cells", {}).items()):
        kind = body["type"]
        if kind not in modules:
            continue
        if "ram_1r1w_array" in kind:
            values = modules[kind]["parameter_default_values"]
            rows.append((path, int(values["Depth"], 2), int(values["Width"], 2)))
        else:
            walk(modules, kind, f"{path}.{cell}" if path else cell, rows)


def main(arguments):
    if len(arguments) != 1:
        sys.exit(__doc__)
    with open(arguments[0], encoding="utf-8") as file:
        modules = json.load(file)["modules"]
    top = next(n for n, m in modules.items() if int(m.get("attributes", {}).get("top", "0"), 2))
    rows = []
    walk(modules, top, "", rows)
    if not rows:
        sys.exit("no RAM array in the design")
    print("| instance of ram_1r1w | words | bits a word | kbit |\n|---|---|---|---|")
    for path, depth, width in rows:
        print(f"| `{path}` | {depth} | {width} | {depth * width / 1024:.1f} |")
    print(f"| all | | | {sum(d * w for _, d, w in rows) / 1024:.1f} |")
