#!/usr/bin/python3
"""Tests the search of the documentation on pages that a browser opens from disk.

  site_search_test.py DCCVP
"""

import json

from package import FolderTest, main
from dccvp.docs import make_site


class SearchFromDisk(FolderTest):
    def test_every_page_loads_the_index_before_the_themes_scripts(self):
        index = {"docs": [{"location": "a.html", "title": "A </script> é", "text": "pacing"}]}
        (self.folder / "search").mkdir()
        (self.folder / "search/search_index.json").write_text(json.dumps(index), encoding="utf-8")
        for name in ("index.html", "deep/er/page.html"):
            page = self.folder / name
            page.parent.mkdir(parents=True, exist_ok=True)
            page.write_text("<title>T</title><body><script src=bundle.js></script>", encoding="utf-8")
        make_site.make_search_work_from_disk(self.folder)
        for name, up in (("index.html", ""), ("deep/er/page.html", "../../")):
            text = (self.folder / name).read_text(encoding="utf-8")
            self.assertEqual(text.count("search_from_disk.js"), 1)
            self.assertIn(f'<title>T</title><script src="{up}search_from_disk.js"></script>', text)
        script = (self.folder / "search/search_index.js").read_text(encoding="utf-8")
        self.assertTrue(script.startswith("var __search = {index: Promise.resolve({"), script[:60])
        self.assertEqual(json.loads(script[script.index("resolve(") + 8:script.rindex(")")]), index)
        self.assertTrue((self.folder / "search_from_disk.js").is_file())


if __name__ == "__main__":
    main()
