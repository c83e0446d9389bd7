#!/usr/bin/env python3
"""Size and time of the pages of large programs: benchmarks/view.py SHARDY

Limits (docs/spec/view.md 2): 6 MB for 10,000 ops, 40 MB for 100,000. Exit status 1 if a page is larger. Opening a page in Chromium is measured by
tests/view/.
"""
import pathlib
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tests/view"))
from programs import decoder  # noqa: E402

LIMITS = {10_000: 6e6, 100_000: 40e6}  # bytes by number of ops


def timed(*arguments):
    begin = time.monotonic()
    done = subprocess.run(list(map(str, arguments)), capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(done.stderr)
    return time.monotonic() - begin


def main():
    failed = False
    print(f"{'ops':>8} {'bytes':>12} {'limit':>12} {'page':>8} {'document':>9} {'report':>8}")
    for num_ops, limit in LIMITS.items():
        with tempfile.TemporaryDirectory() as folder:
            program, page = pathlib.Path(folder) / "decoder.mlir", pathlib.Path(folder) / "page.html"
            program.write_text(decoder(num_ops=num_ops, layers=32))
            page_time = timed(sys.argv[1], "view", program, "-o", page)
            document_time = timed(sys.argv[1], "view", program, "--format=json", "-o", pathlib.Path(folder) / "document.json")
            report_time = timed(sys.argv[1], "report", program)
            size = page.stat().st_size
            failed = failed or size > limit
            print(f"{num_ops:>8,} {size:>12,} {limit:>12,.0f} {page_time:>6.1f} s {document_time:>7.1f} s {report_time:>6.1f} s")
    return failed


if __name__ == "__main__":
    sys.exit(main())
