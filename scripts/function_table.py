#!/usr/bin/env python3
"""docs/functions.md: what a wrong call of each public function comes to.

scripts/function_table.py            writes it
scripts/function_table.py --check    fails if it differs from the headers; ends with 77, which CTest counts as skipped, where clang's bindings
                                     are not there
"""

import re
import sys

import api_calls
import public_functions

PAGE = public_functions.ROOT / "docs" / "functions.md"

HEAD = """# The outcome of a wrong call

Each public function is in one of three classes. No call of any of them accesses memory outside of its arguments, also in release builds:

| class | outcome of a wrong call |
| --- | --- |
| **error** | the function returns an error value with a message |
| **any** | a wrong call does not exist: every value of the parameter types has a defined result |
| **requires** | the contract handler is called: `Requires:` in the comment of the function gives the precondition |

The contract handler (`shardy/support/contract.hpp`) gets the violated condition and its place. The default handler prints a line to standard error and
aborts. `set_contract_handler` replaces it, for example by a handler that throws, if the program uses exceptions, or that logs the violation. A
handler must not return. A check costs a comparison and a jump.

Every function has five preconditions that its comment does not repeat:

- Ids (`OpId`, `ValueId`, `SlotId`, ...) and places belong to the module or problem that they are used with, and are not erased.
- An object after a move is only assigned to or destroyed.
- The object that a view or a span refers to exists, also the module of an object that stores a reference to it.
- An axis ref belongs to the mesh that it is used with: its pre-size and its size are at least 1, and their product fits int64. Predicates on refs
  alone accept any ref.
- Elements written to a `simulation::TensorWriter` are canonical, for example an `i1` is 0 or 1. No function checks all elements.

`tests/api` calls each of these functions with wrong ranks, indices and sizes, invalid ids, and values that are empty or moved from. The build
generates the calls from the headers, so every new function is called. A call that reaches the handler fails the test if the comment of its
function has no `Requires:`. `scripts/function_table.py` writes this page, and a test compares it.
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
    cell = f"requires: {text}" if kind == "requires" else kind
    return f"| `{short(function.signature())}` | {cell.replace('|', chr(92) + '|')} |"


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
