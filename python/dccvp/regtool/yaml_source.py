"""A YAML file as plain data that still knows on which line everything stood."""

import yaml


class SourceError(Exception):
    """Something in a source file is wrong; the text begins with file:line."""


class YamlSource:
    """data: dicts, lists and scalars. where(path): "file:line" of the value at a path of keys."""

    def __init__(self, path):
        self.path = str(path)
        self._lines = {}
        try:
            with open(path, encoding="utf-8") as stream:
                root = yaml.compose(stream, Loader=yaml.SafeLoader)
        except OSError as error:
            raise SourceError(f"{self.path}: {error.strerror}") from error
        except UnicodeDecodeError as error:
            raise SourceError(f"{self.path}: not UTF-8 text") from error
        except yaml.MarkedYAMLError as error:
            line = error.problem_mark.line + 1 if error.problem_mark else 1
            raise SourceError(f"{self.path}:{line}: {error.problem}") from error
        except yaml.YAMLError as error:
            raise SourceError(f"{self.path}: {error}") from error
        if root is None:
            raise SourceError(f"{self.path}:1: the file is empty")
        self._scalars = yaml.constructor.SafeConstructor()
        self.data = self._plain(root, (), [])

    def where(self, path):
        """Place of the value at `path`, or of the nearest thing around it that exists."""
        path = tuple(path)
        while path and path not in self._lines:
            path = path[:-1]
        return f"{self.path}:{self._lines[path]}"

    def _plain(self, node, path, open_nodes):
        self._lines[path] = node.start_mark.line + 1
        if any(node is other for other in open_nodes):
            raise SourceError(f"{self.where(path)}: an alias contains itself")
        if isinstance(node, yaml.MappingNode):
            result = {}
            for key_node, value_node in node.value:
                key = self._scalars.construct_object(key_node)
                line = key_node.start_mark.line + 1
                if not isinstance(key, str):
                    raise SourceError(f"{self.path}:{line}: key '{key}' is not a name")
                if key in result:
                    raise SourceError(f"{self.path}:{line}: key '{key}' is given twice")
                result[key] = self._plain(value_node, path + (key,), open_nodes + [node])
                self._lines[path + (key,)] = line
            return result
        if isinstance(node, yaml.SequenceNode):
            return [self._plain(item, path + (i,), open_nodes + [node])
                    for i, item in enumerate(node.value)]
        try:
            return self._scalars.construct_object(node)
        except (yaml.YAMLError, ValueError) as error:
            raise SourceError(f"{self.where(path)}: '{node.value}' is not a value: {error}") from error
