"""The programs of tests/passes/golden and what passes make of them.

A file golden/PASS/NAME.mlir holds cases with lines `// ----------` between them:

    // shardy opt --sdy-foo='a=b c=d' --sdy-bar
    // CASE: what is true                        the title, with the section of the specification
    // TWICE                                     where doing it again must change nothing
    sdy.mesh @mesh = <["a"=2]>
    func.func @main(...) ...                     the program; lines count from that of the command
    // ---- becomes
    module {                                     all that `shardy opt` prints, exactly
    ...

Instead of `becomes`, `// ---- stays` means that the program is printed as without passes, and `// ---- fails` is
followed by all errors: `3:5: some message`. After `// ---- diagnostics`, before these, are all warnings and remarks:
`3:5: warning: some message`, with their notes after them: `note: what to do`. A warning must have one. Without the
section there must be none. The first case of golden/PASS/example.mlir is also the
example of docs/passes.md.
"""
import dataclasses
import pathlib
import re
import shlex
import subprocess

COMMAND = "// shardy opt"
TITLE = "// CASE:"
NEXT = "// ----------\n"
SECTION = re.compile(r"^// ---- (\w+)\n", re.MULTILINE)
SAID = re.compile(r"^(?:-:(\d+:\d+:)? ?(error|warning|remark)|(note)): (.*)$", re.MULTILINE)


@dataclasses.dataclass
class Case:
    """One case: `expected` has the texts of its sections by their names."""
    path: pathlib.Path
    line: int
    input: str
    expected: dict

    @property
    def arguments(self):
        return shlex.split(self.input.partition("\n")[0].removeprefix(COMMAND))

    @property
    def is_idempotent(self):
        return "\n// TWICE\n" in self.input

    def text(self, sections):
        """The case as a file has it, with these sections."""
        return self.input + "".join(f"// ---- {name}\n{text}" for name, text in sections.items())


def read_case(path, line, text):
    first, *rest = SECTION.split(text)
    expected = dict(zip(rest[::2], rest[1::2]))
    ends = [name for name in expected if name in ("becomes", "stays", "fails")]
    wrong = (f"begins without `{COMMAND}`" if not first.startswith(COMMAND) else
             f"has no title: its second line begins without `{TITLE}`" if f"\n{TITLE} " not in first else
             "has other sections than [diagnostics] and one of becomes, stays, fails"
             if len(ends) != 1 or [*expected] != ["diagnostics"] * ("diagnostics" in expected) + ends else None)
    if wrong:
        raise SystemExit(f"{path}:{line}: the case {wrong}")
    return Case(path, line, first, expected)


def cases_of(path):
    line = 1
    for text in path.read_text().split(NEXT):
        yield read_case(path, line, text)
        line += text.count("\n") + 1


def golden_files(folder):
    return sorted(folder.glob("*/*.mlir"))


def diagnostics(text):
    """(place with a colon or "", severity, message, notes) of each."""
    found = []
    for place, severity, note, message in SAID.findall(text):
        if not note:
            found.append((place, severity, message, []))
        elif found:
            found[-1][3].append(message)
    return found


def opt(shardy, arguments, text):
    """Runs `shardy opt`; returns its output and its diagnostics."""
    done = subprocess.run([shardy, "opt", "-", *arguments], input=text, text=True, capture_output=True, check=False)
    found = diagnostics(done.stderr)
    if done.returncode not in (0, 1) or (done.returncode == 1) != any(kind == "error" for _, kind, *_ in found):
        raise SystemExit(f"shardy opt {shlex.join(arguments)}: status {done.returncode}\n{text}\n{done.stderr}")
    return done.stdout, found
