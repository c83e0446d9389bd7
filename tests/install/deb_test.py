#!/usr/bin/env python3
"""The Debian packages that cpack makes of a build hold what they should, and are found where they are unpacked.

deb_test.py CPACK CMAKE BUILD WORK COMPILER FLAGS
"""
import pathlib
import shutil
import subprocess
import sys
import time
import unittest

CPACK, CMAKE, COMPILER, FLAGS = sys.argv[1], sys.argv[2], sys.argv[5], sys.argv[6]
BUILD, WORK = pathlib.Path(sys.argv[3]), pathlib.Path(sys.argv[4])
FOLDER = pathlib.Path(__file__).parent


def run(*command, folder=None):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, cwd=folder)
    if done.returncode != 0:
        raise AssertionError(f"{command}: exit status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def field(package, name):
    return run("dpkg-deb", "--field", package, name).strip()


class Packages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        shutil.rmtree(WORK, ignore_errors=True)
        WORK.mkdir(parents=True)
        run(CPACK, "-G", "DEB", "-B", WORK, folder=BUILD)
        cls.packages = {field(path, "Package"): path for path in sorted(WORK.glob("*.deb"))}
        for path in cls.packages.values():
            run("dpkg-deb", "--extract", path, WORK / "root")

    def files(self, package):
        lines = run("dpkg-deb", "--contents", self.packages[package]).splitlines()
        return {line.split(" -> ")[0].split("./", 1)[1] for line in lines}

    def test_there_are_the_packages(self):
        names = set(self.packages)
        self.assertLessEqual({"libshardy-dev", "shardy"}, names)
        self.assertLessEqual(names, {"libshardy-dev", "shardy", "libshardy0.2"})

    def test_packages_list_their_dependencies(self):
        depends = field(self.packages["libshardy-dev"], "Depends")
        self.assertIn("libfmt-dev", depends)
        self.assertIn("libexpected-dev", depends)
        for other in ("eigen", "json", "cli11"):
            self.assertNotIn(other, depends)
        for package in self.packages.values():
            self.assertRegex(field(package, "Version"), r"^\d+\.\d+\.\d+")
        if shutil.which("dpkg-shlibdeps"):
            self.assertIn("libc6", field(self.packages["shardy"], "Depends"))

    def test_they_hold_what_they_should(self):
        files = self.files("libshardy-dev")
        for name in ("include/shardy/shardy.h", "include/shardy/algebra/mesh.hpp", "include/shardy/version.h",
                     "lib/cmake/shardy/shardy-config.cmake", "lib/pkgconfig/shardy.pc"):
            self.assertIn("usr/" + name, files)
        self.assertTrue({"usr/lib/libshardy.a", "usr/lib/libshardy.so"} & files)
        self.assertFalse([name for name in files if "python" in name or "/bin/" in name])
        self.assertIn("usr/bin/shardy", self.files("shardy"))
        self.assertIn("usr/share/bash-completion/completions/shardy", self.files("shardy"))

    def test_it_is_found_where_it_is_unpacked(self):
        build = WORK / "consumer"
        run(CMAKE, "-S", FOLDER / "unpacked", "-B", build, "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={WORK}/root/usr",
            f"-DCMAKE_CXX_COMPILER={COMPILER}", f"-DCMAKE_CXX_FLAGS={FLAGS}")
        run(CMAKE, "--build", build)
        self.assertIn("equal to the unsharded run: yes", run(build / "c_page"))

    def test_packages_of_one_build_are_equal(self):
        again = WORK / "again"
        time.sleep(1.1)  # times of files and of archives are whole seconds
        run(CPACK, "-G", "DEB", "-B", again, folder=BUILD)
        for path in sorted(WORK.glob("*.deb")):
            self.assertEqual((again / path.name).read_bytes(), path.read_bytes(), path.name)

    def test_the_command_runs(self):
        self.assertIn(field(self.packages["shardy"], "Version").split("-")[0],
                      run(WORK / "root/usr/bin/shardy", "--version"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
