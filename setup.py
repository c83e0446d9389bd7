"""Builds the module `shardy` by CMake, for `pip install .`: docs/python.md.

SHARDY_BUILD_DIR names a finished build with SHARDY_PYTHON=ON, whose module is taken; without it, the library is built.
SHARDY_CMAKE_ARGS has more arguments of CMake.
"""
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

ROOT = pathlib.Path(__file__).resolve().parent


def version():
    """The version of include/shardy/version.h."""
    header = (ROOT / "include/shardy/version.h").read_text()
    return ".".join(re.search(rf"SHARDY_VERSION_{part} (\d+)", header)[1] for part in ("MAJOR", "MINOR", "PATCH"))


def cmake_build(folder):
    """Builds the module with the library inside, for this interpreter."""
    options = ["SHARDY_PYTHON=ON", "SHARDY_TESTS=OFF", "SHARDY_BENCHMARKS=OFF", "SHARDY_INSTALL=OFF", "SHARDY_UNITY=ON",
               "BUILD_SHARED_LIBS=OFF", "CMAKE_BUILD_TYPE=Release", f"Python3_EXECUTABLE={sys.executable}"]
    arguments = [f"-D{option}" for option in options] + shlex.split(os.environ.get("SHARDY_CMAKE_ARGS", ""))
    subprocess.run(["cmake", "-S", ROOT, "-B", folder, *arguments], check=True)
    subprocess.run(["cmake", "--build", folder, "--target", "shardy_python", "--parallel"], check=True)


def finished_build(folder):
    """Checks that the module of a build contains the library."""
    cache = (folder / "CMakeCache.txt").read_text()
    if re.search(r"^BUILD_SHARED_LIBS:\w+=(ON|1|TRUE)$", cache, re.MULTILINE | re.IGNORECASE):
        sys.exit(f"error: the module in {folder} needs its shared library; build with BUILD_SHARED_LIBS=OFF")


class CMakeBuild(build_ext):
    """Puts the module where setuptools expects the extension."""

    def build_extension(self, ext):
        given = os.environ.get("SHARDY_BUILD_DIR")
        folder = pathlib.Path(given or self.build_temp).resolve()
        if given:
            finished_build(folder)
        else:
            cmake_build(folder)
        target = pathlib.Path(self.get_ext_fullpath(ext.name))
        modules = [folder / "python/shardy" / target.name]
        if not modules[0].is_file():
            sys.exit(f"error: {modules[0]} does not exist; build shardy_python with this Python")
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(modules[0], target)


# Files of the build stay in one folder, which git ignores.
base = ROOT / "build" / "python"
base.mkdir(parents=True, exist_ok=True)
setup(version=version(), packages=["shardy"], package_dir={"shardy": "src/python/shardy"},
      package_data={"shardy": ["*.pyi", "py.typed"]}, ext_modules=[Extension("shardy._shardy", [])],
      cmdclass={"build_ext": CMakeBuild},
      options={"egg_info": {"egg_base": str(base)}, "build": {"build_base": str(base)}})
