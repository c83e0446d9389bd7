"""shardy++ for Conan 2: conan create packaging/conan"""
import os

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy



class ShardyConan(ConanFile):
    name = "shardy"
    version = "0.2.0"
    description = "Sharding of tensor programs"
    license = "Apache-2.0"
    settings = "os", "arch", "compiler", "build_type"
    options = {"library": [True, False], "tools": [True, False], "shared": [True, False], "fPIC": [True, False]}
    default_options = {"library": True, "tools": False, "shared": False, "fPIC": True}

    def export_sources(self):
        root = os.path.join(self.recipe_folder, "..", "..")
        for pattern in ("CMakeLists.txt", "LICENSE", "cmake/*", "include/*", "src/*"):
            copy(self, pattern, src=root, dst=self.export_sources_folder)

    def requirements(self):
        self.requires("fmt/[>=9]", transitive_headers=True, transitive_libs=True)
        self.requires("tl-expected/[>=1.0]", transitive_headers=True)
        if self.options.library:
            self.requires("eigen/[>=3.4]", visible=False)
            self.requires("nlohmann_json/[>=3.11]", visible=False)
        if self.options.tools:
            self.requires("cli11/[>=2.1]", visible=False)

    def validate(self):
        check_min_cppstd(self, 20)

    def layout(self):
        cmake_layout(self)

    def generate(self):
        CMakeDeps(self).generate()
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables.update({
            "SHARDY_LIBRARY": bool(self.options.library),
            "SHARDY_TOOLS": bool(self.options.tools),
            "SHARDY_TESTS": False,
            "SHARDY_BENCHMARKS": False,
            "SHARDY_PYTHON": False,
            "SHARDY_INSTALL": True,
        })
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        copy(self, "LICENSE", src=self.source_folder, dst=os.path.join(self.package_folder, "licenses"))
        CMake(self).install()

    def package_info(self):
        # The package's own CMake files, with its components.
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs.append(os.path.join("lib", "cmake", "shardy"))
        self.cpp_info.libs = ["shardy"] if self.options.library else []
