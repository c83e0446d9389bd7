#!/usr/bin/env python3
"""Every error message of the MLIR reader, of inference and of the verifier occurs in some test.

usage: messages_test.py ROOT
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(sys.argv[1])
SOURCES = [*ROOT.glob("src/text/mlir*.?pp"), *ROOT.glob("src/ir/*.?pp"), *ROOT.glob("include/shardy/ir/*.hpp")]
TESTS = [path for folder in ("text", "ir", "checking", "tools", "algebra", "simulation") for path in (ROOT / "tests" / folder).rglob("*")
         if path.suffix in {".cpp", ".out", ".py", ".txt", ".mlir", ".hpp"} and path.name != "messages_test.py"]

# A call that makes an error, up to the semicolon that ends it.
CALL = re.compile(r"\b(?:fail(?:_at)?|expected|report)\(")
LITERAL = re.compile(r'R"\((.*?)\)"|"((?:[^"\\]|\\.)*)"', re.DOTALL)
ADJACENT = re.compile(r'"\s*\n\s*"')


def end_of_call(text, begin):
    """Position after the bracket that closes the one at `begin`."""
    depth = 0
    position = begin
    while position < len(text):
        if literal := LITERAL.match(text, position):
            position = literal.end()
            continue
        if text.startswith("'", position):
            position = text.index("'", position + 2 if text[position + 1] == "\\" else position + 1) + 1
            continue
        depth += {"(": 1, ")": -1}.get(text[position], 0)
        position += 1
        if depth == 0:
            break
    return position


def messages(path):
    """Line and longest literal piece of each message."""
    text = path.read_text()
    for call in CALL.finditer(text):
        body = ADJACENT.sub("", text[call.end() - 1:end_of_call(text, call.end() - 1)])
        pieces = [raw or escaped.replace('\\"', '"').replace("\\\\", "\\") for raw, escaped in LITERAL.findall(body)]
        longest = max(pieces, key=len, default="")
        if len(longest) >= 4:
            yield text.count("\n", 0, call.start()) + 1, longest


def main():
    # Texts of C++ tests may be split over lines and have quotes escaped.
    known = "\n".join(ADJACENT.sub("", path.read_text()).replace('\\"', '"') for path in TESTS)
    missing = [f"{path.relative_to(ROOT)}:{line}: no test has: {text}"
               for path in sorted(SOURCES) for line, text in messages(path) if text not in known]
    print("\n".join(missing) or "every message occurs in a test")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
