#!/usr/bin/env python3
"""The solver against an independent one on the exported linear programs: lp_test.py WRITE_PROBLEMS [COUNT].

CBC reads the text itself, scipy's HiGHS solves what this script reads from the text. Both solve each problem. A missing one is reported; without both, the
script ends with 77, which CTest counts as skipped.
"""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SECONDS = 15  # of one problem


def solve_by_cbc(path):
    """The least price, None if nothing fits, "unknown" after SECONDS."""
    out = subprocess.run(["cbc", str(path), "ratioGap", "0", "seconds", str(SECONDS), "solve"], capture_output=True, text=True, check=True).stdout
    if re.search(r"infeasible", out, re.IGNORECASE) and "Objective value:" not in out:
        return None
    if "Stopped on time" in out:
        return "unknown"
    return float(re.search(r"Objective value:\s+([-0-9.e+]+)", out)[1])


def rows_of(text):
    """(name, {variable: factor}, relation, right side) of each row, the objective first."""
    head, rest = re.split(r"\nSubject To\n", text, maxsplit=1)
    for part in [head.removeprefix("Minimize\n"), *re.split(r"(?<=\d)\n(?= [nrcm]_)", rest.split("\nBounds\n")[0])]:
        name, body = part.strip().split(":", 1)
        relation = re.search(r"(<=|=)\s*(\d+)\s*$", body)
        body = body[: relation.start()] if relation else body
        factors = {}
        for sign, factor, variable in re.findall(r"([+-])\s*(\d+ )?([se]_[\d_]+)", body):
            factors[variable] = int(factor or 1) * (-1 if sign == "-" else 1)
        yield name, factors, relation and relation[1], relation and int(relation[2])


def solve_by_highs(path):
    import numpy
    from scipy.optimize import Bounds, LinearConstraint, milp
    from scipy.sparse import lil_matrix

    text = path.read_text()
    (_, prices, _, _), *rows = rows_of(text)
    names = {name: i for i, name in enumerate(sorted({variable for row in rows for variable in row[1]}))}
    matrix = lil_matrix((len(rows), len(names)))
    low, high = numpy.zeros(len(rows)), numpy.zeros(len(rows))
    for i, (_, factors, relation, right) in enumerate(rows):
        for variable, factor in factors.items():
            matrix[i, names[variable]] = factor
        low[i], high[i] = (right, right) if relation == "=" else (-numpy.inf, right)
    cost = numpy.zeros(len(names))
    for variable, price in prices.items():
        cost[names[variable]] = price
    forbidden = set(re.findall(r"^ (s_\d+_\d+) = 0$", text, re.MULTILINE))
    upper = numpy.array([0 if name in forbidden else 1 for name in names])
    integral = numpy.array([name.startswith("s_") for name in names])
    result = milp(cost, constraints=LinearConstraint(matrix.tocsr(), low, high), bounds=Bounds(0, upper), integrality=integral,
                  options={"time_limit": SECONDS, "mip_rel_gap": 0})
    if result.status == 1:
        return "unknown"
    return result.fun if result.status == 0 else None


def has_milp():
    try:
        import scipy.optimize
    except ImportError:
        return False
    return hasattr(scipy.optimize, "milp")


def installed_solvers():
    """The solvers that are installed, and messages about the others."""
    known = [("coinor-cbc", solve_by_cbc, shutil.which("cbc")), ("python3-scipy", solve_by_highs, has_milp())]
    return [solve for _, solve, found in known if found], [f"skipped: {package} is not installed" for package, _, found in known if not found]


def check(line, optimum):
    """A message if the line of the solver contradicts the optimum, or None."""
    number, price, bound, status, _ = line.replace("not found", "not_found").split()
    price, bound = int(price), int(bound)
    if optimum is None:
        return None if status == "infeasible" else f"{number}: nothing fits, but the solver reports {status}, {price}"
    optimum = round(optimum)
    if status == "infeasible":
        return f"{number}: {optimum} is possible, but the solver reports that nothing fits"
    if bound > optimum:
        return f"{number}: the bound {bound} exceeds the optimum {optimum}"
    if price == -1:
        return f"{number}: no choice was found; {optimum} is possible"
    if price < optimum or (status == "proven" and price != optimum):
        return f"{number}: price {price} ({status}), optimum {optimum}"
    return None if price <= optimum * (1 + (price - bound) / price) + 1 else f"{number}: price {price}, bound {bound}, optimum {optimum}"


def compare(solver, folder, lines):
    """Messages about lines that contradict the solver."""
    failures, proven, unknown = [], 0, 0
    for line in lines:
        optimum = solver(folder / (line.split()[0] + ".lp"))
        unknown += optimum == "unknown"
        if optimum == "unknown":
            continue
        proven += "proven" in line
        failures += filter(None, [check(line, optimum)])
    print(f"{len(lines)} problems by {solver.__name__}: {proven} proven by both, {unknown} not solved within {SECONDS} s")
    return failures + (["too many unsolved"] if unknown > len(lines) // 4 else [])


def main(program, count):
    solvers, missing = installed_solvers()
    print(*missing, sep="\n")
    if not solvers:
        return 77
    with tempfile.TemporaryDirectory() as folder:
        lines = subprocess.run([program, folder, "1", str(count)], capture_output=True, text=True, check=True).stdout.splitlines()
        assert len(lines) == 5 * count, lines
        failures = [failure for solver in solvers for failure in compare(solver, pathlib.Path(folder), lines)]
    print(*failures, sep="\n")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 6))
