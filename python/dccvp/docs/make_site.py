"""Makes the documentation site: docs/, and a reference generated from the program.

  tool.py site BUILD/dccvp FOLDER

Leaves the staged pages in FOLDER/source and the site in FOLDER/html. Fails on a broken link.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys

from dccvp.common.ending import InputError
from dccvp.common.text_table import markdown

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
RTL_PAGES = {"timing-wheel": "timing_wheel/doc/theory.md", "rate-unit": "rate_lut/doc/theory.md",
             "timing-wheel-testplan": "timing_wheel/doc/testplan.md", "pacer": "pacer/doc/contract.md",
             "packet": "packet/doc/contract.md", "nic-application": "nic/doc/contract.md",
             "law-proofs": "controller/doc/law_proofs.md", "recovery": "controller/doc/recovery.md",
             "block": "controller/doc/block.md", "verification": "controller/doc/verification.md",
             "threats": "controller/doc/threats.md", "errata": "controller/doc/errata.md",
             "other-dcqcn": "controller/doc/other_dcqcn.md", "rules": "controller/README.md",
             "rams": "controller/doc/ram_guide.md", "handoff": "handoff/README.md"}
RESULT_PAGES = ("results", "null_models")  # names of the generated pages of configs/reproduce


def said(dccvp, *arguments):
    done = subprocess.run([dccvp, *arguments], capture_output=True, text=True, check=True)
    return done.stdout


def command_line(dccvp):
    text = said(dccvp, "--help")
    page = f"# Command line\n\nGenerated from `dccvp --help`.\n\n```text\n{text}\n```\n"
    listed = text.split("Subcommands:")[1].split("Examples:")[0]
    for name in re.findall(r"^  ([a-z][a-z-]+) ", listed, re.MULTILINE):
        page += f"\n## {name}\n\n```text\n{said(dccvp, name, '--help')}\n```\n"
    return page


def configurations():
    """Returns the page that lists the shipped configurations; its text is the first comment of each configuration."""
    rows = []
    for file in sorted(ROOT.glob("configs/*.yaml")) + sorted(ROOT.glob("configs/*/*.yaml")):
        words = []
        for line in file.read_text(encoding="utf-8").splitlines():
            if not line.startswith("#"):
                break
            words.append(line.lstrip("# ").strip())
        rows.append((f"`{file.relative_to(ROOT)}`", " ".join(words)))
    return ("# Shipped configurations\n\nGenerated from the comments at their heads.\n\n" +
            "\n".join(markdown(("file", "shows"), rows)) + "\n")


def pages_beside_code():
    """Returns {file in the repository: its place in the site} for pages that are outside docs/."""
    pages = {ROOT / "rtl" / place: f"rtl/{name}.md" for name, place in RTL_PAGES.items()}
    pages[ROOT / "configs/reproduce/silicon.md"] = "reproduce/silicon.md"
    pages[ROOT / "configs/reproduce/held_rows.md"] = "reproduce/held_rows.md"
    pages[ROOT / "configs/differentiation/README.md"] = "studies.md"
    pages[ROOT / "configs/programs/reactions.md"] = "reactions.md"
    pages[ROOT / "models/core/controller/law/README.md"] = "law.md"
    pages[ROOT / "models/core/controller/law/tutorial.md"] = "tutorial-law.md"
    pages[ROOT / "models/core/switch/README.md"] = "dcbx.md"
    pages[ROOT / "models/core/subnet/README.md"] = "subnet.md"
    return {**pages, **{page: f"schemes/{page.parent.name}.md" for page in ROOT.glob("models/schemes/*/README.md")}}


def with_links_of_the_site(text, page, place):
    """Returns the text of a page at `place`, with links to other pages rewritten for the site."""
    places = pages_beside_code()

    def link(match):
        target = (page.parent / match[1]).resolve()
        if target in places:
            found = places[target]
        elif target.is_relative_to(ROOT / "docs"):
            found = str(target.relative_to(ROOT / "docs"))
        else:
            return match[0]
        return f"]({os.path.relpath(found, pathlib.Path(place).parent)}"

    return re.sub(r"\]\((?!\w+:)([\w./-]+)", link, text)


def staged(page, place):
    """Returns the text of a page for the site: links are rewritten, and marks after a code block's language become
    the block's title."""
    text = with_links_of_the_site(page.read_text(encoding="utf-8"), page, place)
    text = re.sub(r"^```sh long$", '```sh title="takes long"', text, flags=re.MULTILINE)
    text = re.sub(r"^```(\w+) file=(\S+)$", r'```\1 title="\2"', text, flags=re.MULTILINE)
    return re.sub(r"^```wavedrom$", "```text", text, flags=re.MULTILINE)


def make_search_work_from_disk(html):
    """Writes the search index also as a script and loads search_from_disk.js before the theme's scripts, so that search
    works without a web server."""
    index = (html / "search/search_index.json").read_text(encoding="utf-8")
    script = f"var __search = {{index: Promise.resolve({index})}};\n"
    (html / "search/search_index.js").write_text(script, encoding="utf-8")
    shutil.copy(HERE / "search_from_disk.js", html / "search_from_disk.js")
    for page in html.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        to_top = "../" * (len(page.relative_to(html).parts) - 1)
        page.write_text(text.replace("</title>", f'</title><script src="{to_top}search_from_disk.js"></script>', 1),
                        encoding="utf-8")


def main(arguments):
    if len(arguments) != 2:
        sys.exit(__doc__)
    dccvp, folder = (str(pathlib.Path(arguments[0]).resolve()), pathlib.Path(arguments[1]).resolve())
    source = folder / "source"
    if not pathlib.Path(dccvp).is_file():
        raise InputError(f"{dccvp}: no such program")
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())) \
            and not (folder / "mkdocs.yml").exists():
        raise InputError(f"'{folder}' holds something else than a site; not replaced")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    config = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    config = re.sub(r"^docs_dir: .*$", f"docs_dir: {source}", config, flags=re.MULTILINE)
    config = re.sub(r"^site_dir: .*$", f"site_dir: {folder / 'html'}", config, flags=re.MULTILINE)
    (folder / "mkdocs.yml").write_text(config, encoding="utf-8")
    for page in sorted((ROOT / "docs").rglob("*")):
        target = source / page.relative_to(ROOT / "docs")
        if page.is_dir():
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        if page.suffix == ".md":
            target.write_text(staged(page, str(page.relative_to(ROOT / "docs"))), encoding="utf-8")
        else:
            shutil.copy(page, target)
    for page, place in pages_beside_code().items():
        (source / place).parent.mkdir(exist_ok=True)
        (source / place).write_text(staged(page, place), encoding="utf-8")
    reference = source / "reference"
    reference.mkdir()
    for name in RESULT_PAGES:
        shutil.copy(ROOT / f"configs/reproduce/{name}.md", reference)
    for name, text in (("command-line", command_line(dccvp)), ("configurations", configurations()),
                       ("parameters", said(dccvp, "params", "--format", "markdown")),
                       ("metrics", said(dccvp, "metrics", "--format", "markdown")),
                       ("sources", said(str(ROOT / "python/tool.py"), "sources-page"))):
        (reference / f"{name}.md").write_text(text, encoding="utf-8")
    if shutil.which("mkdocs") is None:
        print("mkdocs is not installed")
        return 1
    done = subprocess.run(["mkdocs", "build", "--strict", "-f", str(folder / "mkdocs.yml")],
                          capture_output=True, text=True, check=False)
    lines = (done.stdout + done.stderr).splitlines()
    said_by_it = "\n".join(line for line in lines if re.search("WARNING|ERROR|Aborted", line))
    if done.returncode != 0:
        print(said_by_it)
        return 1
    make_search_work_from_disk(folder / "html")
    print(f"{folder / 'html/index.html'}: {len(list((folder / 'html').rglob('*.html')))} pages")
    return 0
