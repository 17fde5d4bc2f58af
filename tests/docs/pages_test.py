#!/usr/bin/python3
"""Tests rules of the documentation's pages: every command is run or marked as long, every link has a target, and the
site's table of contents lists every page.

  pages_test.py ROOT
"""

import pathlib
import re
import sys
import unittest

from pages import COMMAND, blocks, pages

ROOT = pathlib.Path(sys.argv[1]).resolve()
KINDS = {"sh", "sh long", "text", "yaml", "c", "cpp", "python", "json", "verilog", "systemverilog", "wavedrom"}
# capitals and brackets are placeholders, so the line is a synopsis and no command
SYNOPSIS = re.compile(r"\[[A-Za-z-]|…|[A-Z]{3,}")


class Pages(unittest.TestCase):
    def test_commands_are_run_or_marked(self):
        for page in pages(ROOT):
            for kind, body in blocks(page):
                with self.subTest(page=page.name, block=body[:60]):
                    base = kind.split(" file=")[0]
                    self.assertIn(base, KINDS)
                    if base in ("sh", "sh long"):
                        continue
                    for line in body.splitlines():
                        if COMMAND.match(line):
                            self.assertRegex(line, SYNOPSIS, "a command outside a block of sh")

    def test_links(self):
        for page in pages(ROOT):
            text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.S)
            for target in re.findall(r"\]\(([^)#]+)[^)]*\)", text):
                if not target.startswith("http"):
                    with self.subTest(page=page.name, link=target):
                        self.assertTrue((page.parent / target).exists())

    def test_every_page_is_in_the_contents(self):
        contents = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
        for page in (ROOT / "docs").glob("*.md"):
            self.assertIn(f" {page.name}\n", contents)

    def test_the_readme_leads_to_what_one_looks_for(self):
        text = (ROOT / "README.md").read_text(encoding="utf-8")
        for target in ("docs/tutorial-firmware.md", "docs/tutorial-rtl.md", "docs/tutorial-architect.md",
                       "docs/tutorial-hardware.md", "docs/how-to.md", "docs/tutorial-algorithm.md",
                       "docs/tutorial-transport.md"):
            self.assertIn(f"({target}", text)
        for command in ("make run", "build/dccvp params", "-c "):
            self.assertIn(command, text)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
