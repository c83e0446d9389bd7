#!/usr/bin/env python3
"""Checks comments, messages, names and documents of ROOT (default: .) against docs/language.md.

Reads the library, tests, benchmarks, examples, scripts and CMake files. Reports openings and words that the page
forbids, each with the plain one, and sentences of documents with more than 40 words. A folder may have as many findings as its row in scripts/language_limits.json allows: the numbers may
fall, never rise. Folders without a row may have none.

check_language.py [ROOT]              passes if no folder exceeds its limit
check_language.py [ROOT] --list PATH  prints the findings in files whose path starts with PATH
check_language.py [ROOT] --update     lowers the limits to what is found; refuses to raise one
"""
import argparse
import ast
import collections
import io
import json
import pathlib
import re
import tokenize

# (pattern, plain word, where): "opening" is the first word of a comment, "comment" any place of a comment or of the
# title of a test, "text" any place of a comment, message or page, "name" an identifier.
RULES = [
    (r"(What|Whatever)\b", "a noun: 'operands', not 'What ops read'", "opening"),
    (r"Whether\b", "'Checks whether', 'Returns true if'", "opening"),
    (r"Of\b", "the subject first", "opening"),
    (r"(Who|Whose|Which)\b", "a noun", "opening"),
    (r"(How|Why)\b", "'Returns the number of', 'Reason for'", "opening"),
    (r"(Where|When)\b", "'Place of', 'Position', 'Returns the offset', 'If'", "opening"),
    (r"Nothing\b", "'std::nullopt if', 'Empty if'", "opening"),
    (r"\bbehind\b(?! a proxy)", "'after', 'following', 'used by'", "text"),
    (r"\b(is|are|was|were) no\b(?! longer)", "'is not a', 'has no'", "text"),
    (r"\b(nobody|no one)\b", "'no op', 'no user'", "text"),
    (r"\b(is|are|be|being) cut\b", "'sharded', 'partitioned', 'truncated'", "text"),
    (r"\bcuts? (it|them|along|over|the dim|a dim|dims)\b", "'shards'", "text"),
    (r"\b(stands|stood)\b", "'is', 'is at', 'represents'", "text"),
    (r"\bin the place of\b", "'instead of'", "text"),
    (r"\b(is|are) gone\b", "'was removed', 'does not exist'", "text"),
    (r"\bthat which\b", "a noun", "text"),
    (r"\bfilled up\b", "'padding'", "text"),
    (r"\b(stands?|standing)\b", "'is', 'is at', 'represents'", "comment"),
    (r"\b(says?|said|saying|tells?|told)\b", "'reports', 'returns', 'declares', 'contains'", "comment"),
    (r"\b(cuts?|cutting)\b", "'shards', 'splits', 'truncates', 'removes'", "comment"),
    (r"\b(meeting|meetings|hands? on|handed on|goes? on without)\b", "'collective', 'forwards', 'returns'", "comment"),
    (r"\b(said|says?|saying|tells?|told|cut|cuts|behind|stands?|meeting)\b", "a noun: error_text, sharded, users", "name"),
]
WORDS = [(re.compile(pattern, re.I), plain) for pattern, plain, where in RULES if where == "text"]
COMMENT_WORDS = [(re.compile(pattern, re.I), plain) for pattern, plain, where in RULES if where == "comment"]
OPENINGS = [(re.compile(pattern), plain) for pattern, plain, where in RULES if where == "opening"]
NAMES = [(re.compile(pattern), plain) for pattern, plain, where in RULES if where == "name"]
LONGEST_SENTENCE = 40

# Pages that quote the words in order to forbid them.
QUOTING = {"docs/language.md", "scripts/check_language.py"}
COMMENT = re.compile(r"(?:^|\s)//[/!]?<?\s?(.*)$")
BLOCK_COMMENT = re.compile(r"/\*(.*?)\*/", re.S)
STRING = re.compile(r'"((?:[^"\\]|\\.)*)"')
RAW_STRING = re.compile(r'R"([^(\s]*)\(.*?\)\1"', re.S)
TITLE = re.compile(r'\b(TEST_CASE|SECTION|TEMPLATE_TEST_CASE|BENCHMARK)\(')
HASH_COMMENT = re.compile(r"(?:^|\s)#(?!!)\s?(.*)$")
CASE = re.compile(r"\s*(?:CASE|RUN|NOTE): ")
Finding = collections.namedtuple("Finding", "path line text plain")


def findings_of_line(path, number, text, opens, is_comment=False):
    for pattern, plain in OPENINGS if opens else ():
        if pattern.match(text):
            yield Finding(path, number, text, plain)
    for pattern, plain in WORDS + (COMMENT_WORDS if is_comment else []):
        if pattern.search(text):
            yield Finding(path, number, text, plain)


def in_block_comments(path, text):
    """Findings in `/* */`, as headers for C have them."""
    for comment in BLOCK_COMMENT.finditer(text):
        first = text.count("\n", 0, comment.start()) + 1
        opens = True
        for number, line in enumerate(comment[1].splitlines(), first):
            words = line.strip().lstrip("*!< ")
            yield from findings_of_line(path, number, words, opens and bool(words), is_comment=True)
            opens = opens and not words


def in_code(path, lines):
    """Findings in comments, names, and in string literals with a space, which are messages or titles of tests."""
    was_comment = was_title = False
    for number, line in enumerate(lines, 1):
        comment = COMMENT.search(line)
        if comment:
            yield from findings_of_line(path, number, comment[1], not was_comment, is_comment=True)
        was_comment = bool(comment)
        code = line[: comment.start()] if comment else line
        is_title = bool(TITLE.search(code)) or (was_title and code.lstrip().startswith('"'))
        for literal in STRING.findall(code):
            if " " in literal:
                yield from findings_of_line(path, number, literal, False, is_comment=is_title)
        was_title = is_title
        names = STRING.sub("", code)
        for pattern, plain in NAMES:
            if pattern.search(names):
                yield Finding(path, number, line, plain)


def without_raw_strings(text):
    """The source with as many lines and without programs in raw strings, which are data."""
    return RAW_STRING.sub(lambda raw: '""' + "\n" * raw[0].count("\n"), text)


def in_python(path, text):
    """Findings in comments, doc strings and names of a Python source, and in its strings with a space."""
    docs = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and ast.get_docstring(node):
            docs.add(node.body[0].lineno)
    was_comment = 0
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        number = token.start[0]
        if token.type == tokenize.COMMENT and not token.string.startswith("#!"):
            words = token.string.lstrip("# ")
            yield from findings_of_line(path, number, words, was_comment != number - 1, is_comment=True)
            was_comment = number
        elif token.type == tokenize.STRING and " " in token.string:
            is_doc = number in docs
            for offset, line in enumerate(token.string.splitlines()):
                words = line.strip().strip("\"'")
                yield from findings_of_line(path, number + offset, words, is_doc and offset == 0, is_comment=is_doc)
        elif token.type == tokenize.NAME:
            for pattern, plain in NAMES:
                if pattern.fullmatch(token.string):
                    yield Finding(path, number, token.line, plain)


def in_script(path, lines, mark):
    """Findings in comments of a shell script, a CMake file or a program in MLIR text."""
    was_comment = False
    for number, line in enumerate(lines, 1):
        comment = mark.search(line)
        if comment:
            words = CASE.sub("", comment[1])
            yield from findings_of_line(path, number, words, not was_comment, is_comment=True)
        was_comment = bool(comment)


def sentences(paragraph):
    """(line, words) of each sentence of lines of prose [(line number, text)]."""
    first, words = None, []
    for number, text in paragraph:
        for part in re.split(r"(?<=[.!?:;])\s+", re.sub(r"`[^`]*`", "code", text)):
            first = first or number
            words += part.split()
            if part.endswith((".", "!", "?", ":", ";")):
                yield first, words
                first, words = None, []
    if words:
        yield first, words


def in_page(path, lines):
    """Findings in prose: what is neither a fenced block nor inline code."""
    fenced, paragraph = False, []
    for number, line in enumerate(lines + [""], 1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
            line = ""
        if fenced:
            continue
        yield from findings_of_line(path, number, re.sub(r"`[^`]*`", "", line), False)
        if line.strip() and not re.match(r"\s*([-*|#>]|\d+\.)", line):
            paragraph.append((number, line))
            continue
        for first, words in sentences(paragraph):
            if len(words) > LONGEST_SENTENCE:
                yield Finding(path, first, " ".join(words[:8]) + " ...", f"{len(words)} words in a sentence")
        paragraph = []


CODE = {".hpp", ".cpp", ".h", ".c", ".inc"}
SCRIPTS = {".sh", ".cmake", ".in"}


def checked_files(root):
    for folder in ("include", "src", "tests", "benchmarks", "examples", "scripts", "cmake"):
        for file in sorted((root / folder).rglob("*")):
            if file.suffix in CODE | SCRIPTS | {".py", ".pyi", ".mlir"} or file.name == "CMakeLists.txt":
                yield file
    yield from sorted(p for p in (root / "docs").rglob("*.md"))
    yield from (root / "README.md", root / "CONTRIBUTING.md", root / "CMakeLists.txt")


def findings_of_file(path, file):
    text = file.read_text()
    lines = text.splitlines()
    if file.suffix == ".md":
        yield from in_page(path, lines)
    elif file.suffix in {".py", ".pyi"}:
        yield from in_python(path, text)
    elif file.suffix in CODE:
        yield from in_code(path, without_raw_strings(text).splitlines())
    else:
        yield from in_script(path, lines, COMMENT if file.suffix == ".mlir" else HASH_COMMENT)
    if file.suffix in {".h", ".c"}:
        yield from in_block_comments(path, text)


def folder_of(path):
    """What limits are for: a layer of include and src, a folder of docs, a page at the top."""
    parts = path.split("/")
    if parts[0] == "include":
        return "/".join(parts[:3]) if len(parts) > 3 else "include/shardy"
    return "/".join(parts[:2]) if len(parts) > 2 else parts[0] if len(parts) > 1 else path


def all_findings(root):
    for file in checked_files(root):
        path = file.relative_to(root).as_posix()
        if path in QUOTING:
            continue
        yield from findings_of_file(path, file)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root", nargs="?", default=".", type=pathlib.Path)
    parser.add_argument("--list", metavar="PATH")
    parser.add_argument("--update", action="store_true")
    options = parser.parse_args()
    found = list(all_findings(options.root))
    if options.list is not None:
        for f in found:
            if f.path.startswith(options.list):
                print(f"{f.path}:{f.line}: {f.text.strip()[:100]}  -> {f.plain}")
        return 0
    limits_file = options.root / "scripts/language_limits.json"
    limits = json.loads(limits_file.read_text())
    counts = collections.Counter(folder_of(f.path) for f in found)
    excess = {folder: n for folder, n in sorted(counts.items()) if n > limits.get(folder, 0)}
    for folder, n in excess.items():
        print(f"{folder}: {n} findings against docs/language.md, {limits.get(folder, 0)} allowed; see them by --list {folder}/")
    if options.update and not excess:
        limits = {folder: counts[folder] for folder in sorted(limits) if counts[folder] > 0}
        limits_file.write_text(json.dumps(limits, indent=2) + "\n")
    return 1 if excess else 0


if __name__ == "__main__":
    raise SystemExit(main())
