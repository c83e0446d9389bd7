"""Every type of the public headers that compares with == is a value of shardy/reflection.hpp, or is listed here with the reason."""
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).parents[2]
HEADERS = ROOT / "include/shardy"
NOT_VALUES = {
    "OpIterator": "a place in a walk",
    "TypedId": "has hash and order; its text is a part of others",
    "WrittenNames": "a table",
}


def public_headers():
    for path in sorted(HEADERS.rglob("*.hpp")):
        if "detail" not in path.parts:
            yield path


def comparable_types(text):
    for match in re.finditer(r"^(?:struct|class) (\w+)[^;{]*\{(.*?)^\};", text, re.S | re.M):
        name, body = match[1], match[2]
        if "operator==" in body or re.search(rf"operator==\(const {name}&", text):
            yield name


def values():
    text = (HEADERS / "reflection.hpp").read_text() + (HEADERS / "reflection/algebra.hpp").read_text()
    names = re.findall(r"SHARDY_\w*VALUE\w*\(\s*(?:\w+::)*(\w+)", text)
    return set(names) | set(re.findall(r"struct OwnValue<(?:\w+::)*(\w+)>", text))


class ReflectionTest(unittest.TestCase):
    def test_all_types_are_values(self):
        known = values() | NOT_VALUES.keys()
        self.assertGreater(len(known), 80)
        missing = [
            f"{path.relative_to(ROOT)}: {name}"
            for path in public_headers()
            for name in comparable_types(path.read_text())
            if name not in known
        ]
        self.assertEqual(missing, [], "add SHARDY_VALUE(...) to shardy/reflection.hpp")

    def test_all_values_are_tested(self):
        test = (ROOT / "tests/reflection/reflection_test.cpp").read_text()
        text = (HEADERS / "reflection.hpp").read_text() + (HEADERS / "reflection/algebra.hpp").read_text()
        fields = re.findall(r"SHARDY_(?:ORDERED_)?VALUE\(\s*shardy::([\w:]+),", text)
        self.assertGreater(len(fields), 60)
        self.assertEqual([name for name in fields if f"check_fields<{name}>(" not in test], [])

    def test_reasons_are_of_types_that_exist(self):
        there = {name for path in public_headers() for name in comparable_types(path.read_text())}
        self.assertEqual(NOT_VALUES.keys() - there, set())


if __name__ == "__main__":
    unittest.main()
