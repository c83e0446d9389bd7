#!/usr/bin/env python3
"""Checks that no file of ROOT (default: .) but the rows of ops spells the name of an attribute.

The rows are in include/shardy/ir/ops/; include/shardy/ir/attribute_names.hpp and the headers of the
typed views have the same names once for C++, and all others use these constants. Prints
`path:line: "name"` for each string of include/ and src/ that is the name of an attribute, and
reports names that the headers and the rows do not share, and names that several headers have.
"""
import pathlib
import re
import sys

NAMES_HEADER = "include/shardy/ir/attribute_names.hpp"
VIEW_HEADERS = "include/shardy/ir/*_ops.hpp"  # each has the names that only its views use
ROWS = ["include/shardy/ir/ops/*.inc", "src/ir/op_row.hpp"]
CONSTANT = re.compile(r'std::string_view (k\w+) =\s*"(\w+)";')
STRING = re.compile(r'(?<![R\\\w])"((?:[^"\\]|\\.)*)"')

# Words that are names of attributes and mean something else in some files.
OTHER_MEANINGS = [
    # Members of the objects of a JSON document, and columns of reports. docs/json.md
    (r"src/text/(json_\w+|op_draft|error_places|sharding_codecs)\.[ch]pp$", {"name", "mesh", "axes", "sharding", "dim"}),
    (r"src/report/records\.hpp$", {"name", "axes", "sharding", "dim", "value"}),
    (r"src/python/", {"name", "mesh", "axes", "sharding", "dim", "lower", "permutation", "replica_groups", "tolerance", "value"}),
    (r"src/tools/", {"name", "mesh", "axes", "sharding", "dim", "lower", "value", "padding"}),
    (r"src/c_api/reshard\.cpp$", {"mesh"}),
    (r"src/autoshard/problem_json\.cpp$", {"name"}),
    # Columns and members of documents. docs/view.schema.json
    (r"src/view/", {"axes", "callee", "dim", "layout", "mesh", "name", "padding", "sharding", "value", "version"}),
    # Words of the algebra's own text, and nouns of its messages.
    (r"include/shardy/propagation/meet\.hpp$", {"sharding", "dim"}),
    (r"include/shardy/(algebra|support)/", {"mesh", "axes", "sharding", "manual_axes", "name", "permutation"}),
    (r"src/text/(attribute_codec|\w+_codecs)\.[ch]pp$", {"mesh", "sharding", "manual_axes", "permutation", "value"}),
    (r"src/ir/op_definition\.cpp$", {"algorithm", "mesh", "sharding", "axes"}),
    (r"src/text/mlir_cursor\.hpp$", {"name"}),
    (r"src/text/mlir_special_reader\.cpp$", {"dimensions"}),  # `across dimensions = [0]`
    (r"include/shardy/ir/detail/op_attributes\.hpp$", {"dim"}),
    (r"src/ir/(infer_\w+|op_facts|verify_sharding)\.cpp$", {"dim", "axes", "value"}),
    (r"include/shardy/ir/type\.hpp$", {"index"}),  # a type
    # Names that are given to new meshes, and those of StableHLO's attributes of modules.
    (r"src/(checking/(random_\w+|sweep)|partitioning/reference/per_instruction|passes/import/meshes)\.[ch]pp$", {"mesh", "axes", "name"}),
    (r"src/(ir/process_groups|simulation/kernels/collective_groups)\.cpp$", {"mesh", "axes", "name"}),
    # Options of passes.
    (r"src/passes/(\w+/)?register\.cpp$", {"index", "name", "sharding", "value"}),
]


def names_in_rows(root):
    """The names in strings like `edge_padding_high:array;edge_padding_low:array`."""
    names = set()
    for pattern in ROWS:
        for file in sorted(root.glob(pattern)):
            text = re.sub(r'"\s*\n\s*"', "", file.read_text())
            for string in STRING.findall(text):
                if re.match(r"[a-z]\w*:[a-z]", string):
                    names |= {part.split(":")[0] for part in string.split(";")}
    return names


def has_other_meaning(path, name):
    return any(re.match(where, path) and name in words for where, words in OTHER_MEANINGS)


def constant_of(name):
    return "k" + "".join(part.capitalize() for part in name.split("_"))


def complaints(root):
    names = names_in_rows(root)
    headers = {}  # of each constant
    for file in (root / NAMES_HEADER, *sorted(root.glob(VIEW_HEADERS))):
        for constant, _ in CONSTANT.findall(file.read_text()):
            headers.setdefault(constant, []).append(str(file.relative_to(root)))
    wanted = {constant_of(name) for name in names}
    for constant in sorted(wanted - headers.keys()):
        yield f"{NAMES_HEADER}: {constant} is not in {NAMES_HEADER}"
    for constant, found in sorted(headers.items()):
        if constant not in wanted:
            yield f"{found[0]}: {constant} is not in the rows of ops"
        for header in found[1:]:
            yield f"{header}: {constant} is in {found[0]}, too"
    skipped = {root / NAMES_HEADER, root / "src/ir/op_row.hpp"}
    for top in ("include", "src"):
        for file in sorted((root / top).rglob("*.[ch]pp")):
            if file in skipped:
                continue
            path = str(file.relative_to(root))
            for number, line in enumerate(file.read_text().splitlines(), 1):
                if line.lstrip().startswith(("//", "#include")):
                    continue
                if file.match(VIEW_HEADERS) and CONSTANT.search(line):
                    continue
                for string in STRING.findall(line.split("  // ")[0]):
                    if string in names and not has_other_meaning(path, string):
                        yield f'{path}:{number}: "{string}" is ir::attr::{constant_of(string)}'


def main(root):
    found = list(complaints(root))
    for complaint in found:
        print(complaint)
    return bool(found)


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()))
