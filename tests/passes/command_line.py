"""Runs of the command line in tests."""
import subprocess
import sys


def shardy(text, *arguments):
    """Returns the output of the command; ends the test, and shows the program, if it fails."""
    done = subprocess.run(arguments, input=text, text=True, capture_output=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(arguments)}\n{text}\n{done.stdout}{done.stderr}")
    return done.stdout
