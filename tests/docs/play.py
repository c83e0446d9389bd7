#!/usr/bin/env python3
"""Plays the pages that show commands: play.py SHARDY ROOT PAGE... [--approve]

Each page is played in a folder of its own, in which `examples`, `tests` and `benchmarks` are those of ROOT and `shardy` is SHARDY. A fenced
block after `<!-- file: NAME -->` is written to that file first. A block that begins with `$ ` holds commands, each after `$ ` and, if it is
long, on further lines that begin with `> ` or follow a `\\`, and the output of each, errors too; `[status 1]` is its exit status. A line
`...` of the page matches any lines. Commands of a page see the files that earlier ones made. `--approve` writes what comes out into the
page.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

FILE = re.compile(r"<!-- file: ([\w.-]+) -->\s*$")


def run(command, folder, environment):
    done = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, text=True, timeout=300, check=False, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    status = f"[status {done.returncode}]\n" if done.returncode else ""
    text = done.stdout + ("\n" if done.stdout and not done.stdout.endswith("\n") else "")
    return (text + status).splitlines()


def commands_of(block):
    """Returns the commands of a block: their lines as written, and the lines that they print according to the page."""
    commands = []
    for line in block:
        if line.startswith("$ "):
            commands.append(([line], []))
            continue
        command, printed = commands[-1]
        goes_on = not printed and (line.startswith("> ") or command[-1].endswith("\\"))
        (command if goes_on else printed).append(line)
    return commands


def matches(expected, printed):
    """Checks whether lines are those of the page, in which `...` matches any lines."""
    parts = ["(?:.*\n)*" if line.strip() == "..." else re.escape(line + "\n") for line in expected]
    return re.fullmatch("".join(parts), "".join(line + "\n" for line in printed)) is not None


def played(block, folder, environment):
    """Returns the block with its real output; unchanged if the output matches."""
    lines = []
    for command, expected in commands_of(block):
        printed = run("\n".join(re.sub(r"^[$>] ", "", line) for line in command), folder, environment)
        lines += command + (expected if matches(expected, printed) else printed)
    return lines


def play(page, shardy, root):
    """The page as it comes out."""
    lines, out, block, name = page.read_text().splitlines(), [], None, None
    with tempfile.TemporaryDirectory() as folder:
        tools = pathlib.Path(folder, ".tools")
        tools.mkdir()
        (tools / "shardy").symlink_to(shardy)
        for top in ("examples", "tests", "benchmarks"):
            pathlib.Path(folder, top).symlink_to(root / top)
        environment = {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}", "LC_ALL": "C", "COLUMNS": "100"}
        for line in lines:
            if block is None:
                out.append(line)
                if line.startswith("```"):
                    block = []
                elif line.strip():
                    name = FILE.match(line) and FILE.match(line)[1]
            elif line.startswith("```"):
                if name:
                    pathlib.Path(folder, name).write_text("\n".join(block) + "\n")
                out += played(block, folder, environment) if block and block[0].startswith("$ ") else block
                out.append(line)
                block = name = None
            else:
                block.append(line)
    return "\n".join(out) + "\n"


def main():
    approve = "--approve" in sys.argv
    shardy, root, *pages = [pathlib.Path(each).resolve() for each in sys.argv[1:] if each != "--approve"]
    wrong = 0
    for page in pages:
        got, wanted = play(page, shardy, root), page.read_text()
        if approve:
            page.write_text(got)
        elif got != wanted:
            wrong += 1
            for number, (want, have) in enumerate(zip(wanted.splitlines() + ["(end)"], got.splitlines() + ["(end)"]), 1):
                if want != have:
                    print(f"{page.relative_to(root)}:{number}: expected\n  {want}\ngot\n  {have}")
                    break
    print(f"{len(pages)} pages, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
