"""Builds the module `shardy` by CMake, for `pip install .`: docs/python.md.

SHARDY_BUILD_DIR names a finished static build, whose library the module links; without it, the library is built, too.
SHARDY_CMAKE_ARGS has more arguments of CMake. CMAKE_BUILD_PARALLEL_LEVEL: the number of compilers at once; default: of cores.
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
    """Builds the module with the library inside, for this interpreter. SHARDY_BUILD_DIR: with the library of that build."""
    options = ["SHARDY_PYTHON=ON", "SHARDY_TESTS=OFF", "SHARDY_BENCHMARKS=OFF", "SHARDY_INSTALL=OFF", "SHARDY_UNITY=ON", "SHARDY_PRECOMPILE=ON",
               "BUILD_SHARED_LIBS=OFF", "CMAKE_BUILD_TYPE=Release", f"Python3_EXECUTABLE={sys.executable}"]
    finished = os.environ.get("SHARDY_BUILD_DIR")
    options.append(f"SHARDY_FINISHED_BUILD={pathlib.Path(finished).resolve() if finished else ''}")
    arguments = [f"-D{option}" for option in options] + shlex.split(os.environ.get("SHARDY_CMAKE_ARGS", ""))
    subprocess.run(["cmake", "-S", ROOT, "-B", folder, *arguments], check=True)
    # Without a number, make starts all compilers at once, which needs more than 20 GB.
    jobs = os.environ.get("CMAKE_BUILD_PARALLEL_LEVEL", str(os.cpu_count()))
    subprocess.run(["cmake", "--build", folder, "--target", "shardy_python", "--parallel", jobs], check=True)


class CMakeBuild(build_ext):
    """Puts the module where setuptools expects the extension."""

    def build_extension(self, ext):
        folder = pathlib.Path(self.build_temp).resolve()
        cmake_build(folder)
        target = pathlib.Path(self.get_ext_fullpath(ext.name))
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(folder / "python/shardy" / target.name, target)


# Files of the build stay in one folder, which git ignores.
base = ROOT / "build" / "python"
base.mkdir(parents=True, exist_ok=True)
setup(version=version(), packages=["shardy"], package_dir={"shardy": "src/python/shardy"},
      package_data={"shardy": ["*.pyi", "py.typed"]}, ext_modules=[Extension("shardy._shardy", [])],
      cmdclass={"build_ext": CMakeBuild},
      options={"egg_info": {"egg_base": str(base)}, "build": {"build_base": str(base)}})
