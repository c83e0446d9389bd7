"""Each golden file of tests/ begins with a title that a reader understands, or with the command whose output it is."""
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SUFFIXES = (".dot", ".json", ".mlir", ".out", ".rows", ".svg", ".txt")

# Files with a title, by pattern.
TITLED = (
    "tests/passes/golden/*/*.mlir",
    "tests/simulation/interpret/programs/*.mlir",
    "tests/simulation/rows/*.rows",
    "tests/text/json_errors.txt",
    "tests/text/mlir/errors/*.mlir",
    "tests/text/mlir/forms/*.mlir",
    "tests/tools/diagnostics/*.mlir",
    "tests/tools/diagnostics/exports/*.mlir",
    "tests/tools/explain/*.out",
    "tests/tools/hints/*.out",
    "tests/tools/lit/*.mlir",
    "tests/tools/report/*",
    "tests/tools/show/*",
    "tests/tools/sweep/*.out",
    "tests/view/golden/*.mlir",
)

# Files without one, with the reason.
UNTITLED = {
    "tests/c_api/page.out": "the output of a program of the documents",
    "tests/checking/moved_annotations.txt": "a test reads the file: a program and its bytes per line",
    "tests/fuzz/corpus/*.txt": "inputs of fuzzers, one per line",
    "tests/text/examples/*.json": "JSON has no comments",
    "tests/text/mlir/canonical/*.mlir": "the program must be printed as it is in the file",
    "tests/text/mlir/corpus/*/*.mlir": "the program must be printed as it is in the file",
    "tests/text/mlir/errors/*.out": "the program of the same name has the title",
    "tests/text/mlir/forms/*.out": "the program of the same name has the title",
    "tests/text/mlir/listed_forms.txt": "each line begins with its section of the specification",
    "tests/tools/diagnostics/*.json": "JSON has no comments",
    "tests/tools/diagnostics/*.out": "the program of the same name has the title",
    "tests/tools/diagnostics/exports/*.out": "the program of the same name has the title",
    "tests/tools/explain/*.json": "JSON has no comments; the output has the title",
    "tests/tools/explain/*.mlir": "the first line has the command; the output has the title",
    "tests/view/golden/layers.dot": "other programs read the file; layers.mlir has the title",
    "tests/view/golden/layers.explorer.json": "other programs read the file; layers.mlir has the title",
    "tests/view/golden/*.svg": "other programs read the file",
}

DIRECTIVE = re.compile(r"// (shardy opt|refused:|TWICE)")
CASE = re.compile(r"// CASE: \S+ \S+")


def goldens():
    for path in sorted((ROOT / "tests").rglob("*")):
        if path.suffix in SUFFIXES and path.name != "CMakeLists.txt" and path.is_file():
            yield path.relative_to(ROOT)


def matches(path, patterns):
    return [pattern for pattern in patterns if path.match(pattern)]


def has_title(text):
    """Looks for a title in the lines at the beginning. A command that writes the file is a title, too."""
    for line in text.splitlines():
        if line.startswith("$ shardy ") or CASE.match(line):
            return True
        if re.match(r"(//|#) \S+ \S+", line) and not DIRECTIVE.match(line):
            return True
        if not line.startswith(("//", "#")):
            return re.match(r"[A-Z]\w+ \w+ .*: ", line) is not None  # a text with a heading
    return False


class GoldenTitles(unittest.TestCase):
    def test_each_golden_file_is_listed_once(self):
        wrong = [str(path) for path in goldens() if len(matches(path, (*TITLED, *UNTITLED))) != 1]
        self.assertEqual([], wrong)

    def test_each_pattern_has_files(self):
        used = {pattern for path in goldens() for pattern in matches(path, (*TITLED, *UNTITLED))}
        self.assertEqual(set(), {*TITLED, *UNTITLED} - used)

    def test_each_golden_file_has_a_title(self):
        titled = [path for path in goldens() if matches(path, TITLED)]
        self.assertEqual([], [str(path) for path in titled if not has_title((ROOT / path).read_text())])

    def test_a_program_alone_has_no_title(self):
        self.assertFalse(has_title("func.func @f() {\n  // a comment inside\n}\n"))
        self.assertFalse(has_title("// shardy opt --sdy-foo\nfunc.func @f()\n"))
        self.assertFalse(has_title("// refused: stablehlo.add\nfunc.func @f()\n"))
        self.assertTrue(has_title("// Programs that end.\nfunc.func @f()\n"))
        self.assertTrue(has_title("$ shardy report a.mlir\n"))


if __name__ == "__main__":
    unittest.main()
