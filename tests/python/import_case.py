"""Base class of the tests of `dccvp import`: writes files with given texts and returns the output of the importers."""

import package

from dccvp.common.ending import InputError
from dccvp.importers import write


class Import(package.FolderTest):
    def files(self, **texts):
        """Writes files with these texts and returns their paths. In a name the last underscore becomes a dot."""
        paths = []
        for name, text in texts.items():
            path = self.folder / ".".join(name.rsplit("_", 1))
            path.write_bytes(text if isinstance(text, bytes) else text.encode())
            paths.append(str(path))
        return paths

    def read(self, module, settings=None, **texts):
        """Imports files with these texts. Returns (Imported, YAML document)."""
        imported = module.read_files(self.files(**texts), settings or {})
        return imported, write.prepare(imported, "x")

    def refused(self, module, settings=None, **texts):
        """The error message about the first file, without the file name, from the line number on."""
        paths = self.files(**texts)
        with self.assertRaises(InputError) as raised:
            write.prepare(module.read_files(paths, settings or {}), paths[0])
        message = str(raised.exception)
        for path in paths:
            message = message.replace(path + ":", "")
        return message

    def said(self, imported):
        return "\n".join(sentence for _, part in imported.notes.sections() for sentence in part)

    def flows(self, imported):
        """Returns ([(from, to, bytes, start in ns)] of the flows by host number, priorities)."""
        numbers = imported.host_numbers()
        return [(numbers[f.source], numbers[f.target], f.bytes, f.start / 1000) for f in imported.flows["flows.flow"]]

    def lines(self, imported):
        """The lines of the imported traffic file."""
        return write.flow_text(imported, imported.flows["flows.flow"]).splitlines()[1:]
