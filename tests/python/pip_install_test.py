#!/usr/bin/env python3
"""pip_install_test.py ROOT BUILD: `pip install .` without network in a fresh virtual environment.

pip compiles the module, and links the library of the finished build BUILD. With BUILD `-`, pip compiles the library, too: minutes.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

# Files for the installation, in a copy: it leaves no files in the source tree.
SOURCES = ["pyproject.toml", "setup.py", "README.md", "LICENSE", "CMakeLists.txt", "cmake", "include", "src"]
USE = """
import importlib.metadata, pathlib, pickle, shardy
place = pathlib.Path(shardy.__file__).parent
assert place.is_relative_to({prefix!r}), place
assert importlib.metadata.version("shardy") == shardy.__version__
assert (place / "py.typed").exists() and (place / "__init__.pyi").exists()
program = pickle.loads(pickle.dumps(shardy.load({example!r})))
assert program.check()
print(shardy.__version__, program.report())
"""


def run(*command, **options):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, **options)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout


def copy_sources(root, target):
    for name in SOURCES:
        source, copy = root / name, target / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, copy, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy2(source, copy)


def environment_of(build):
    """The variables of pip: the settings of docs/python.md, without other modules."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "SHARDY"))}
    environment["PIP_DISABLE_PIP_VERSION_CHECK"] = "1"
    if build != "-":
        # Without optimization, the module compiles in two thirds of the time.
        environment |= {"SHARDY_BUILD_DIR": str(pathlib.Path(build).resolve()), "SHARDY_CMAKE_ARGS": "-DCMAKE_CXX_FLAGS_RELEASE=-O0"}
    return environment


def main(root, build):
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        copy_sources(root, folder / "source")
        # With the packages of Debian: NumPy, setuptools and wheel.
        run(sys.executable, "-m", "venv", "--system-site-packages", folder / "venv")
        python = folder / "venv/bin/python"
        environment = environment_of(build)
        run(python, "-m", "pip", "install", "--no-build-isolation", "--no-index", ".", cwd=folder / "source", env=environment)
        use = USE.format(prefix=str(folder / "venv"), example=str(root / "examples/mlp.json"))
        print(run(python, "-c", use, cwd=folder, env=environment), end="")
        broken = dict(environment, SHARDY_BUILD_DIR=str(folder / "nothing"))
        done = subprocess.run([python, "-m", "pip", "install", "--no-build-isolation", "--no-index", "--no-deps", "--force-reinstall", "."],
                              cwd=folder / "source", env=broken, capture_output=True, text=True)
        assert done.returncode != 0, "a build that does not exist was installed"
        words = " ".join((done.stdout + done.stderr).split())
        assert "nothing/shardy_finished_targets.cmake does not exist" in words, words


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]).resolve(), sys.argv[2])
