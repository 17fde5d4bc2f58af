#!/usr/bin/env python3
"""Tests that check_names.py reports names that two files of a group share, and no other names."""
import unittest

import check_names


def anonymous(text, around="dcc"):
    return f"namespace {around} {{\n\nnamespace {{\n{text}\n}}  // namespace\n\n}}  // namespace {around}\n"


class CheckNames(unittest.TestCase):
    def clashes(self, one, other, files=("models/schemes/a/a.cpp", "models/schemes/b/b.cpp")):
        """Names that check_names.py reports for two files with these contents."""
        return [name for name, both in check_names.clashes(zip(files, (one, other))) if both == sorted(files)]

    def test_constants_types_and_functions_are_found(self):
        for text, name in (("constexpr int kMany = 3;", "kMany"), ("const char* const kText = \"a\";", "kText"),
                           ("constexpr Entry kAll[] = {", "kAll"), ("const Registered<A> kMade{", "kMade"),
                           ("struct Flow {\n  int kind = 0;\n};", "Flow"), ("enum class Kind : int { kA };", "Kind"),
                           ("double gbps(Bytes bytes) {", "gbps(Bytes bytes)")):
            self.assertEqual(self.clashes(anonymous(text), anonymous(text)), [name])

    def test_functions_may_have_other_parameters(self):
        self.assertEqual(self.clashes(anonymous("int f(int a) {"), anonymous("int f(char a) {")), [])

    def test_another_namespace_around_parts_them(self):
        text = "constexpr int kMany = 3;"
        self.assertEqual(self.clashes(anonymous(text), anonymous(text, "dcc::other")), [])

    def test_members_and_what_is_not_anonymous_count_not(self):
        text = "struct A%d {\n  int f(int a) {\n    return g(a);\n  }\n};"
        self.assertEqual(self.clashes(anonymous(text % 1), anonymous(text % 2)), [])
        named = "namespace dcc {\nint f(int a);\n}  // namespace dcc\n"
        self.assertEqual(self.clashes(named, named), [])

    def test_groups_are_apart(self):
        text = anonymous("constexpr int kMany = 3;")
        self.assertEqual(self.clashes(text, text, ("models/core/nic/a.cpp", "models/core/sim/b.cpp")), [])
        self.assertEqual(self.clashes(text, text, ("models/core/nic/a.cpp", "models/core/nic/b/b.cpp")), ["kMany"])
        self.assertEqual(self.clashes(text, text, ("vp/config/a.cpp", "vp/build/b.cpp")), [])
        self.assertEqual(self.clashes(text, text, ("vp/traffic/a.cpp", "vp/build/b.cpp")), ["kMany"])


if __name__ == "__main__":
    unittest.main()
