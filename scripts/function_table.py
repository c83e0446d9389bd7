#!/usr/bin/env python3
"""docs/functions.md: what a wrong call of each public function comes to.

scripts/function_table.py            writes it
scripts/function_table.py --check    fails if it is not what the headers say; ends with 77, which CTest counts as skipped, where clang's bindings
                                     are not there
"""

import re
import sys

import api_calls
import public_functions

PAGE = public_functions.ROOT / "docs" / "functions.md"

HEAD = """# What a wrong call comes to

Each public function is one of three, and no call of any of them reads or writes memory that is not its own, in release builds either:

| | a wrong call |
| --- | --- |
| **error** | gives an error value, which says what is wrong |
| **any** | is none: whatever the types allow has a defined result |
| **requires** | ends in the handler of contracts: `Requires:` in the comment of the function says what the caller must see to |

The handler (`shardy/support/contract.hpp`) is told the condition that did not hold, and where. The one at the beginning writes a line to standard
error and aborts; `set_contract_handler` replaces it: by one that throws, where the program has exceptions, or one that writes the violation down.
It must not return. A check is a comparison and a jump.

Five things every function requires, so that they are not said each time:

- ids (`OpId`, `ValueId`, `SlotId`, ...) and places are of the module or problem that they are used with, and what they name is not erased;
- an object from which was moved is only assigned to or destroyed;
- what a view or a span points to is there, references to modules that outlive an object among it;
- an axis ref is one of the mesh that it is used with, so it begins at 1 or more, has a size of at least 1 and ends at a number that int64 holds;
  predicates on refs alone take any;
- what is written into a `simulation::TensorWriter` is canonical, as an `i1` is 0 or 1: nobody looks at all elements.

`tests/api` calls each of these functions with wrong ranks, indices and sizes, ids of nothing, and values that are empty or moved from; the calls
are written from the headers while building, so that a new function cannot be forgotten. A call that ends in the handler although its function does
not say `Requires:` fails the test. `scripts/function_table.py` writes this page, and a test compares it.
"""


def short(text):
    text = re.sub(r"std::basic_string_view<char>", "string_view", text)
    text = re.sub(r"std::basic_string<char>", "string", text)
    text = re.sub(r", 18446744073709551615(UL)?", "", text)
    text = re.sub(r"shardy::TypedId<shardy::(?:\w+::)*(\w+)Tag>", r"\1Id", text)
    text = re.sub(r"\btype-parameter-\d+-\d+\b", "T", text)
    return re.sub(r"\b(shardy|std)::", "", text)


def row(function):
    kind, text = api_calls.promise(function)
    says = f"requires: {text}" if kind == "requires" else kind
    return f"| `{short(function.signature())}` | {says.replace('|', chr(92) + '|')} |"


def page():
    found = [each for each in public_functions.functions() if not api_calls.is_copy(each) and "deduction guide" not in each.name]
    lines = [HEAD]
    for layer in sorted({api_calls.layer_of(each) for each in found}):
        lines += [f"## {layer}", "", "| function | a wrong call |", "| --- | --- |"]
        rows = [row(each) for each in found if api_calls.layer_of(each) == layer]
        lines += [*dict.fromkeys(rows), ""]
    return "\n".join(lines)


def main():
    if public_functions.bindings() is None:
        print("skipped: no clang bindings here (Debian package python3-clang-14)")
        return 77
    text = page()
    if "--check" not in sys.argv:
        PAGE.write_text(text, encoding="utf-8")
        return 0
    if PAGE.read_text(encoding="utf-8") == text:
        return 0
    print("error: docs/functions.md is not what the headers say: run scripts/function_table.py")
    return 1


if __name__ == "__main__":
    sys.exit(main())
