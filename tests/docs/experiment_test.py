#!/usr/bin/env python3
"""The experiment of docs/json.md: experiment_test.py SHARDY EXAMPLES [--approve]"""
import os
import pathlib
import subprocess
import sys
import tempfile


def main():
    shardy, examples = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "shardy").symlink_to(shardy)
        environment = {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"}
        done = subprocess.run([sys.executable, "-B", examples / "experiment.py"], cwd=folder, env=environment, text=True, capture_output=True, check=False)
        if done.returncode:
            sys.exit(done.stderr)
    expected = examples / "experiment.out"
    if "--approve" in sys.argv:
        expected.write_text(done.stdout)
    if done.stdout != expected.read_text():
        sys.exit(f"{expected}: expected\n{expected.read_text()}got\n{done.stdout}")


if __name__ == "__main__":
    main()
