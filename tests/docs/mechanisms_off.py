#!/usr/bin/python3
"""Removes the mechanisms of mechanisms_off.yml from the code, one at a time. The test that docs/sources.yaml names
for a mechanism must then fail.

  mechanisms_off.py BUILD [WORDS]…

The tool compiles a changed copy of the source file. If the file belongs to a unity build, the copy is compiled
together with the other files of this unity build. The object is linked before the libraries of BUILD, so that the
linker takes only the other objects from the libraries. With an unchanged copy the test must pass. With WORDS only the
entries that contain one of the words are run. The exit status is 1 if a test passes without its mechanism, or fails
with it.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIST = pathlib.Path(__file__).with_suffix(".yml")
OPTIONS = ["-O0", "-w", *(f"-I{ROOT / name}" for name in ("models/core", "models", "sw", "tests", "", "vp"))]
# Include folders. The folder of the changed file is searched before these.
FOLDERS = ("models/core", "models", "sw", "vp")


def lines_of_sources():
    """Yields (document, line) for each line of docs/sources.yaml."""
    for document in yaml.safe_load((ROOT / "docs/sources.yaml").read_text(encoding="utf-8"))["documents"]:
        for line in document["lines"]:
            yield document["name"], line


def line_of(wanted):
    """The line of docs/sources.yaml that [document, at, beginning of says] identifies."""
    found = [line for document, line in lines_of_sources()
             if [document, str(line["at"])] == wanted[:2] and line["says"].startswith(wanted[2])]
    if len(found) != 1:
        raise ValueError(f"docs/sources.yaml has {len(found)} lines {wanted}")
    return found[0]


def changed(entry):
    """The text of an entry's source file without the mechanism."""
    text = (ROOT / entry["in"]).read_text(encoding="utf-8")
    if text.count(entry["text"]) != 1:
        raise ValueError(f"{entry['in']} has {text.count(entry['text'])} times '{entry['text']}'")
    return text.replace(entry["text"], entry["instead"])


def compiler(file):
    return ["gcc", "-std=c11"] if file.suffix == ".c" else ["g++", "-std=c++17"]


def run(command, **how):
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=1800, **how)


def compiled(source, folder, includes):
    out = folder / (source.name + ".o")
    done = run([*compiler(source), *includes, *OPTIONS, "-c", str(source), "-o", str(out)])
    if done.returncode != 0:
        raise ValueError(done.stderr[:2000])
    return str(out)


def includes_of(build, folder):
    """Compiler options that let the changed header in `folder` hide the original header, and that find the headers
    that the build has made."""
    return [*(f"-I{folder / name}" for name in FOLDERS), f"-I{build}/generated"]


def source_of(build, name, copy, folder):
    """Returns the file to compile for a changed copy of file `name`. In a unity build this file includes the copy
    and all files that are compiled with it. Otherwise the linker would take the library's object for those files,
    and a scheme would be registered twice.
    """
    if not name.startswith("models/schemes/"):
        return copy
    for unity in sorted(build.glob("models/*/CMakeFiles/*.dir/Unity/*.cxx")):
        text, count = re.subn(rf'"[^"]*/{re.escape(name)}"', f'"{copy}"', unity.read_text(encoding="utf-8"))
        if count:
            whole = folder / unity.name
            whole.write_text(text, encoding="utf-8")
            return whole
    return copy


def objects_of(build, entry, folder, text):
    """Compiles the entry's file with this text, and the files that include it. Returns the object files."""
    copy = folder / entry["in"]
    copy.parent.mkdir(parents=True, exist_ok=True)
    copy.write_text(text, encoding="utf-8")
    includes = [*includes_of(build, folder), f"-I{(ROOT / entry['in']).parent}"]
    sources = [source_of(build, entry["in"], copy, folder)] if copy.suffix in (".c", ".cpp") else []
    return [compiled(one, folder, includes) for one in sources + [ROOT / name for name in entry.get("with", [])]]


def unit_test(build, test, objects, folder):
    """Compiles a single GoogleTest test, links it with `objects`, and returns its result."""
    source, _, name = test.partition(" :: ")
    libraries = [str(path) for part in ("models/schemes", "models/core", "models/core/riscv", "sw")
                 for path in sorted((build / part).glob("*.a"))]
    program = folder / "test"
    done = run(["g++", "-std=c++17", *includes_of(build, folder), *OPTIONS, str(ROOT / source), *objects, "-o",
                str(program), "-Wl,--allow-multiple-definition", "-Wl,--start-group", *libraries, "-Wl,--end-group",
                "-lgtest_main", "-lgtest", "-lz", "-ldeflate", "-lpthread"])
    if done.returncode != 0:
        raise ValueError(done.stderr[:2000])
    done = run([str(program), f"--gtest_filter=*.{name}:*.{name}/*:*/{name}.*:{name}.*"])
    if "[==========] 0 tests" in done.stdout:
        raise ValueError(f"{source} has no test {name}")
    return done


def system_test(build, test, objects, folder):
    """Links the program anew with `objects`, and returns the result of a Python test."""
    source, _, name = test.partition(" :: ")
    link = run(["ninja", "-C", str(build), "-t", "commands", "dccvp"]).stdout.splitlines()[-1]
    link = re.sub(r"^: && | && :$", "", link)
    program = folder / "dccvp"
    front, back = re.search(r"(.*) -o \S+ (.*)", link).groups()
    done = run(f"{front} -Wl,--allow-multiple-definition {' '.join(objects)} -o {program} {back}", shell=True,
               cwd=build)
    if done.returncode != 0:
        raise ValueError(done.stderr[:2000])
    return run([sys.executable, str(ROOT / source), str(program), "-k", name], cwd=(ROOT / source).parent)


def fails(build, entry):
    """Returns sentences about the errors of an entry. An entry without errors has a test that fails without the
    mechanism."""
    test = entry.get("test") or line_of(entry["line"])["test"]
    kind = system_test if test.partition(" :: ")[0].endswith(".py") else unit_test
    with tempfile.TemporaryDirectory(prefix="dccvp-off-") as name:
        folder = pathlib.Path(name)
        # Compiles the unchanged file as well, since the linker would leave out a scheme of a library that tests know
        # by name only.
        before = (ROOT / entry["in"]).read_text(encoding="utf-8")
        whole = kind(build, test, objects_of(build, entry, folder, before), folder)
        if whole.returncode != 0:
            return [f"{test} fails with the mechanism:\n{(whole.stdout + whole.stderr)[-1500:]}"]
        if kind(build, test, objects_of(build, entry, folder, changed(entry)), folder).returncode == 0:
            return [f"{test} passes without {entry['line'][2]} ({entry['in']})"]
    return []


def main(arguments):
    if not arguments:
        sys.exit(__doc__)
    build, words = pathlib.Path(arguments[0]).resolve(), arguments[1:]
    faults = []
    for entry in yaml.safe_load(LIST.read_text(encoding="utf-8")):
        if words and not any(word in " ".join(entry["line"]) for word in words):
            continue
        try:
            found = fails(build, entry)
        except ValueError as error:
            found = [f"{entry['line']}: {error}"]
        print(f"{'no ' if found else 'yes'} {' | '.join(entry['line'])}", flush=True)
        faults += found
    if faults:
        sys.exit("\n".join(faults))


if __name__ == "__main__":
    main(sys.argv[1:])
