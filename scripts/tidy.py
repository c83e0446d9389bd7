#!/usr/bin/env python3
"""Runs clang-tidy over the C++ sources that a build compiles: scripts/tidy.py BUILD_DIR [FOLDER...]

Most of the time of clang-tidy goes into the headers. So the sources of a folder are checked as one translation unit;
where they do not compile together (two files have helpers of one name), the folder is split in two until they do. A unit
is checked by the .clang-tidy that is nearest to its folder.
"""
import concurrent.futures
import json
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
LARGEST_UNIT = 24  # files
CONFIGS = (".clang-tidy", "tests/.clang-tidy")


def flags_of(command):
    """The flags that decide how a source is read, without those only g++ knows."""
    words, flags = shlex.split(command), []
    for index, word in enumerate(words):
        if word.startswith(("-D", "-I", "-std=")):
            flags.append(word)
        elif word == "-isystem":
            flags += [word, words[index + 1]]
    return flags


def sources_of(build, folders):
    """Folder -> sources, and the flags of each source. A unity build has no commands of sources."""
    wanted = [ROOT / folder for folder in folders]
    groups, flags = {}, {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        source = pathlib.Path(entry["file"])
        if source.parent.name == "Unity":
            sys.exit(f"{build}: SHARDY_UNITY hides the sources; use the preset clang")
        if source.suffix == ".cpp" and any(folder in source.parents for folder in wanted):
            flags[source] = flags_of(entry["command"])
            groups.setdefault((source.parent, tuple(flags[source])), []).append(source)
    return [(list(key[1]), sorted(files)) for key, files in sorted(groups.items())]


def write_unit(folder, files):
    """A unit below `folder`, in the place where the files are below ROOT."""
    place = pathlib.Path(folder) / files[0].parent.relative_to(ROOT)
    place.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(suffix=".cpp", dir=place)
    with os.fdopen(handle, "w") as unit:
        unit.writelines(f'#include "{file}"\n' for file in files)
    return name


def compiles(unit, flags):
    done = subprocess.run(["clang++-14", "-fsyntax-only", "-w", *flags, unit], capture_output=True)
    return done.returncode == 0


def units(folder, flags, files):
    """Fewest bisections after which every part compiles as one unit."""
    if len(files) > LARGEST_UNIT:
        middle = len(files) // 2
        return units(folder, flags, files[:middle]) + units(folder, flags, files[middle:])
    unit = write_unit(folder, files)
    if len(files) == 1 or compiles(unit, flags):
        return [(unit, files)]
    middle = len(files) // 2
    return units(folder, flags, files[:middle]) + units(folder, flags, files[middle:])


def check_group(folder, flags, files):
    """The findings in one folder, as text; empty when there are none."""
    text = ""
    for unit, parts in units(folder, flags, files):
        done = subprocess.run(
            ["clang-tidy-14", "--quiet", "--checks=-bugprone-suspicious-include", unit, "--", *flags,
             *(f"-I{parent}" for parent in {str(part.parent) for part in parts})],
            capture_output=True, text=True, check=False)
        if done.returncode != 0:
            text += done.stdout or done.stderr
    return text


def copy_configs(folder):
    """clang-tidy looks for them from the unit upwards."""
    for config in CONFIGS:
        copy = pathlib.Path(folder) / config
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / config, copy)


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    build, folders = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2:] or ["src", "tests", "examples"]
    failed = False
    with tempfile.TemporaryDirectory() as folder, \
            concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        copy_configs(folder)
        groups = sources_of(build, folders)
        for text in pool.map(lambda group: check_group(folder, *group), groups):
            failed = failed or bool(text)
            print(text, end="", flush=True)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
