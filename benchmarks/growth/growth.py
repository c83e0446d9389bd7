#!/usr/bin/env python3
"""Measures the time of each command as a function of each thing of a program that can be counted.

    benchmarks/growth/growth.py build/release/src/tools/shardy
    benchmarks/growth/growth.py SHARDY --things ops,axes --commands explain

Each thing is taken n and 8 n times. The table has a row per thing, and the exponent e for each
command: 8 n take 8^e times as long as n. `!` marks those above 1.15, and the exit status is 1 if
there are any. `-` is a command that takes no time for it, `f` follows those of programs that
the command refuses (not each command takes each program), `+` where it was stopped. Regions are
indented: there the time may grow as what is written does.

A time also grows because tables leave the caches of the machine, and with other load on it. So
the instructions of a cell above the limit are counted, if valgrind is installed: `i` follows their
exponent, which is printed instead if it is within the limit.

Times are those of the processor that the process and the system take for it, the least of several
runs, less that of the program with one of the thing. n grows until a run takes --least seconds
more than that, or until the limit of the format (regions nest at most 1,000 levels deep).

With --instructions, each cell counts instructions by valgrind instead, 10^9 of them as a second.
Other work on the machine does not change them. Valgrind takes 50 times as long, so --least should
be small, such as 0.004.
"""

import argparse
import math
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass

import ops  # noqa: F401  these fill THINGS
import shardings  # noqa: F401
import texts  # noqa: F401
from program import THINGS

LIMIT = 1.15
FACTOR = 8

# Arguments of each command besides the file. {json}: the program as JSON, as the command line writes it.
ANY = "--allow-unregistered-dialect"
COMMANDS = {
    "convert": ["convert", "{mlir}"],
    "generic": ["convert", "{mlir}", "--generic"],
    "to_json": ["convert", "{mlir}", "--emit", "json"],
    "from_json": ["convert", "{json}", "--emit", "mlir"],
    "propagate": ["propagate", "{mlir}"],
    "partition": ["partition", "{mlir}"],
    "run": ["run", "{mlir}", "--threads", "1"],
    "check": ["run", "{mlir}", "--threads", "1", "--check"],
    "reference": ["run", "{mlir}", "--threads", "1", "--reference"],
    "report": ["report", "{mlir}"],
    "diff": ["diff", "{mlir}", "--after", "{value}=none"],
    "hints": ["hints", "{mlir}", "--tries", "4", "--threads", "1"],
    "sweep": ["sweep", "{mlir}", "--random", "3", "--threads", "1"],
    "show": ["show", "{mlir}", "--value", "{value}"],
    "explain": ["explain", "{mlir}"],
    "explain_value": ["explain", "{mlir}", "--value", "{value}", "--dedup-functions-fully"],
    "explain_all": ["explain", "{mlir}", "--all", "--json"],
    "import": ["opt", "{mlir}", ANY, "--sdy-import-pipeline"],
    "pipeline": ["opt", "{mlir}", ANY, "--sdy-propagation-pipeline"],
    "debug": ["opt", "{mlir}", ANY, "--sdy-propagation-pipeline=debug-sharding-origins=true "
              "debug-propagation-edge-sharding=true"],
    "dedup": ["opt", "{mlir}", ANY, "--sdy-propagation-pipeline=dedup-functions-fully=true "
              "enable-explicit-gather-scatter-batching=true inline-meshes=true"],
    "single": ["opt", "{mlir}", ANY,
               "--sdy-propagation-pipeline=enable-per-instruction-partitioning=true"],
}


class Runs:
    """Runs commands over programs, which it keeps in a folder."""

    def __init__(self, shardy, folder, options):
        self.shardy = shardy
        self.folder = folder
        self.seconds = options.seconds
        self.by_instructions = options.instructions

    def file(self, thing, n, kind):
        path = os.path.join(self.folder, f"{thing}.{n}.{kind}")
        if os.path.exists(path):
            return path
        if kind == "mlir":
            with open(path, "w", encoding="utf-8") as file:
                file.write(THINGS[thing].make(n))
        else:
            self._limited([self.shardy, "convert", self.file(thing, n, "mlir"), "-o", path])
            open(path, "a", encoding="utf-8").close()  # of a program that cannot be converted
        return path

    def value(self, thing, n):
        """The first value that main returns, as `shardy convert` names it."""
        text = self._limited([self.shardy, "convert", self.file(thing, n, "mlir")]).stdout.decode()
        returned = re.search(r"^ *return (%\w+)", text[text.find("@main("):], re.MULTILINE)
        return "@main:" + (returned.group(1) if returned else "%arg0")

    def arguments(self, command, thing, n):
        arguments = [self.shardy]
        for argument in COMMANDS[command]:
            if "{value}" in argument:
                argument = argument.replace("{value}", self.value(thing, n))
            elif argument in ("{mlir}", "{json}"):
                argument = self.file(thing, n, argument[1:-1])
            arguments.append(argument)
        return arguments

    def instructions(self, command, thing, n):
        """Instructions of the command by valgrind; None if valgrind is not installed."""
        if shutil.which("valgrind") is None:
            return None
        return self._counted(self.arguments(command, thing, n))[0]

    def _counted(self, arguments):
        """Instructions of a run, None if it was stopped; and the finished run."""
        counting = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
        done = self._limited(counting + arguments)
        counts = re.findall(rb"^==\d+== Collected : (\d+)$", done.stderr, re.MULTILINE)
        return int(counts[0]) if counts else None, done

    def run(self, command, thing, n):
        """Seconds of the processor, bytes that were written, the exit status."""
        arguments = self.arguments(command, thing, n)
        if self.by_instructions:
            count, done = self._counted(arguments)
            seconds = self.seconds if count is None else count / 1e9
            return Run(seconds, len(done.stdout), done.returncode)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = self._limited(arguments)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
        return Run(seconds, len(done.stdout), done.returncode)

    def _limited(self, arguments):
        def limit():
            resource.setrlimit(resource.RLIMIT_CPU, (self.seconds, self.seconds))

        return subprocess.run(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              preexec_fn=limit, check=False)

    def drop(self, thing):
        for name in os.listdir(self.folder):
            if name.startswith(thing + "."):
                os.remove(os.path.join(self.folder, name))


@dataclass
class Run:
    seconds: float
    written: int
    status: int


class Cell:
    """Times of one command for n and 8 n of a thing."""

    def __init__(self, runs, command, thing, options):
        self.runs, self.command, self.thing, self.options = runs, command, thing, options
        repeats = 1 if options.instructions else options.repeats
        self.fixed = min(self._run(1).seconds for _ in range(min(repeats, 2)))
        self._grow()
        self.large = self._run(FACTOR * self.n)
        for _ in range(repeats - 1):
            if self.is_idle() or self.exponent() <= LIMIT - 0.03 or self._is_truncated():
                break
            self.small = min(self.small, self._run(self.n), key=lambda run: run.seconds)
            self.large = min(self.large, self._run(FACTOR * self.n), key=lambda run: run.seconds)
        self.counts = None
        self.by_instructions = None
        if self._is_above() and not options.instructions:
            self.by_instructions = self._exponent_of_instructions()

    def _exponent_of_instructions(self):
        """None if the instructions were not counted, or grow faster than the limit allows, too."""
        if self._is_truncated():
            return None
        self.counts = [self.runs.instructions(self.command, self.thing, n)
                       for n in (1, self.n, FACTOR * self.n)]
        if None in self.counts:
            return None
        fixed, small, large = self.counts
        exponent = math.log((large - fixed) / max(small - fixed, 1), self._growth())
        return exponent if exponent <= LIMIT else None

    def _run(self, n):
        return self.runs.run(self.command, self.thing, n)

    def _is_truncated(self):
        return self.large.seconds > self.options.seconds / 2

    def _grow(self):
        """Finds an n that takes long enough."""
        of = THINGS[self.thing]
        self.n = of.start
        self.small = self._run(self.n)
        while self.net(self.small) < self.options.least and self.n * 2 * FACTOR <= of.most:
            wanted = self.options.least / max(self.net(self.small), self.options.least / 4)
            self.n = min(self.n * max(2, math.ceil(wanted)), of.most // FACTOR)
            self.small = self._run(self.n)

    def net(self, run):
        return max(run.seconds - self.fixed, 1e-3)

    def is_idle(self):
        return self.net(self.large) < self.options.least / 2

    def _growth(self):
        if self.command != "explain_all" and not THINGS[self.thing].by_text:
            return FACTOR
        return max(FACTOR, self.large.written / max(self.small.written, 1))

    def exponent(self):
        return math.log(self.net(self.large) / self.net(self.small), self._growth())

    def _is_above(self):
        return not self.is_idle() and self.exponent() > LIMIT

    def is_slow(self):
        return self._is_above() and self.by_instructions is None

    def text(self):
        if self.is_idle():
            return "-"
        exponent = self.exponent()
        marks = "!" if self.is_slow() else ""
        if self.by_instructions is not None:
            exponent, marks = self.by_instructions, "i"
        if self.small.status or self.large.status:
            marks += "f" if self.large.status >= 0 else "+"
        return f"{exponent:.2f}{marks}"

    def details(self):
        return (f"{self.thing} {self.command}: n {self.n}, {self.net(self.small):.3f} s and "
                f"{self.net(self.large):.3f} s; {self.fixed:.3f} s more; status "
                f"{self.small.status} and {self.large.status}; instructions of 1, n and 8 n: "
                f"{self.counts or 'not counted'}")


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("shardy", help="the command line")
    parser.add_argument("--things", help="names, separated by commas; else all")
    parser.add_argument("--commands", help="names, separated by commas; else all")
    parser.add_argument("--repeats", type=int, default=4, help="runs, at most, of one size")
    parser.add_argument("--least", type=float, default=0.06, help="seconds of n, at least")
    parser.add_argument("--seconds", type=int, default=60, help="of the processor, for one run")
    parser.add_argument("--instructions", action="store_true",
                        help="count instructions, by valgrind, instead of time")
    parser.add_argument("--verbose", action="store_true", help="sizes and times, too")
    options = parser.parse_args()
    if options.instructions and shutil.which("valgrind") is None:
        sys.exit("--instructions needs valgrind")
    return options


def chosen(names, table):
    if names is None:
        return list(table)
    unknown = [name for name in names.split(",") if name not in table]
    if unknown:
        sys.exit(f"no such name: {', '.join(unknown)}; there are {', '.join(table)}")
    return names.split(",")


def run():
    options = parse_arguments()
    things = chosen(options.things, THINGS)
    commands = chosen(options.commands, COMMANDS)
    width = max(map(len, things)) + 2
    print(" " * width + "".join(f"{command:>14}" for command in commands), flush=True)
    slow = 0
    with tempfile.TemporaryDirectory() as folder:
        runs = Runs(options.shardy, folder, options)
        for thing in things:
            print(f"{thing:<{width}}", end="", flush=True)
            for command in commands:
                cell = Cell(runs, command, thing, options)
                slow += cell.is_slow()
                print(f"{cell.text():>14}", end="", flush=True)
                if options.verbose:
                    print(cell.details(), file=sys.stderr, flush=True)
            print(flush=True)
            runs.drop(thing)
    print(f"{slow} above {LIMIT}")
    return 1 if slow else 0


if __name__ == "__main__":
    sys.exit(run())
