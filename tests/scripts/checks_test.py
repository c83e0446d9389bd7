"""The checks of scripts/ on small trees: what they must report, and what they must let pass."""
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

SCRIPTS = pathlib.Path(__file__).resolve().parents[2] / "scripts"


def check(script, files):
    """Exit status and output of `script` on a tree of `files`."""
    with tempfile.TemporaryDirectory() as root:
        for name, text in files.items():
            path = pathlib.Path(root, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        command = [sys.executable, "-B", SCRIPTS / script, root]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr


class AttributeNames(unittest.TestCase):
    HEADER = "include/shardy/ir/attribute_names.hpp"
    TREE = {
        "include/shardy/ir/ops/slice.inc": """SHARDY_OP(Pad, "stablehlo.pad", kPure,
    {.operands = "operand", .attributes = "edge_padding_low:array;"
                                          "dimension:i64"})""",
        HEADER: """inline constexpr std::string_view kEdgePaddingLow = "edge_padding_low";
inline constexpr std::string_view kDimension = "dimension";
""",
    }

    def test_a_name_is_spelled_in_the_rows_alone(self):
        source = 'op.integer("dimension");\nfail("dimension is bad");\n// the "dimension"\n'
        self.assertEqual(check("check_attribute_names.py", self.TREE | {"src/passes/a.cpp": source}),
                         (1, 'src/passes/a.cpp:1: "dimension" is ir::attr::kDimension\n'))
        source = "op.integer(ir::attr::kDimension);\n"
        self.assertEqual(check("check_attribute_names.py", self.TREE | {"src/passes/a.cpp": source}), (0, ""))

    def test_header_and_rows_have_the_same_names(self):
        less = self.TREE | {self.HEADER: self.TREE[self.HEADER].splitlines()[0]}
        self.assertEqual(check("check_attribute_names.py", less),
                         (1, f"{self.HEADER}: kDimension is not in {self.HEADER}\n"))
        more = self.TREE | {self.HEADER: self.TREE[self.HEADER] +
                            'inline constexpr std::string_view kAxes = "axes";\n'}
        self.assertEqual(check("check_attribute_names.py", more),
                         (1, f"{self.HEADER}: kAxes is not in the rows of ops\n"))

    def test_a_name_may_be_in_the_header_of_its_views_instead(self):
        views = "include/shardy/ir/shape_ops.hpp"
        first, second = self.TREE[self.HEADER].splitlines(keepends=True)
        moved = self.TREE | {self.HEADER: first, views: second}
        self.assertEqual(check("check_attribute_names.py", moved), (0, ""))
        self.assertEqual(check("check_attribute_names.py", self.TREE | {views: second}),
                         (1, f"{views}: kDimension is in {self.HEADER}, too\n"))
        self.assertEqual(check("check_attribute_names.py", moved | {views: second + 'Field{"dimension"};\n'}),
                         (1, f'{views}:2: "dimension" is ir::attr::kDimension\n'))

    def test_this_tree_passes(self):
        done = subprocess.run([sys.executable, "-B", SCRIPTS / "check_attribute_names.py", SCRIPTS.parent],
                              capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stdout), (0, ""))


class Families(unittest.TestCase):
    ROWS = {"include/shardy/ir/ops/window.inc": 'SHARDY_OP(ReduceWindow, "stablehlo.reduce_window", kPure, {})'}

    def refused(self, files, path, why="is named like no family in include/shardy/ir/ops/ and like no op"):
        self.assertEqual(check("check_families.py", self.ROWS | files), (1, f"{path}: {why}\n"))

    def test_files_are_named_like_families_and_ops(self):
        files = {"src/partitioning/families.hpp": "// window.cpp\n// reduce_window_halo.cpp\n// families.cpp\n",
                 "src/simulation/kernels/reduce.cpp": "\nSHARDY_KERNEL(ReduceWindow, make)", "src/ir/infer_window.cpp": "",
                 "src/simulation/kernels/padding.cpp": "", "include/shardy/rules/window.hpp": ""}
        self.assertEqual(check("check_families.py", self.ROWS | files), (0, ""))

    def test_other_names_are_refused(self):
        self.refused({"src/partitioning/families.hpp": "// pooling.cpp\n"}, "src/partitioning/pooling.cpp")
        self.refused({"src/simulation/kernels/pooling.cpp": "\nSHARDY_KERNEL(ReduceWindow, make)"},
                     "src/simulation/kernels/pooling.cpp")
        self.refused({"include/shardy/rules/pooling.hpp": ""}, "include/shardy/rules/pooling.hpp")
        self.refused({"src/ir/infer_pooling.cpp": ""}, "src/ir/infer_pooling.cpp",
                     "is named like no family in include/shardy/ir/ops/")

    def test_this_tree_passes(self):
        for script in "check_families.py", "count_additions.py":
            done = subprocess.run([sys.executable, "-B", SCRIPTS / script, SCRIPTS.parent],
                                  capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stdout)

    def test_a_step_of_the_journey_that_moved_is_reported(self):
        sys.path.insert(0, str(SCRIPTS))
        import count_additions
        journey = [("scripts/count_additions.py", "def missing_places(", "def no_such_" + "function(")]
        self.assertEqual(list(count_additions.missing_places(SCRIPTS.parent, journey)),
                         ["scripts/count_additions.py: missing 'def no_such_function('"])


class Layers(unittest.TestCase):
    def refused(self, path, include, why):
        files = {path: f"#pragma once\n{include}\n", "src/ir/own.hpp": "", "src/text/own.hpp": ""}
        self.assertEqual(check("check_layers.py", files), (1, f"{path}:2: {why}\n"))

    def allowed(self, path, include):
        files = {path: f"#pragma once\n{include}\n", "src/ir/own.hpp": "", "src/text/own.hpp": ""}
        self.assertEqual(check("check_layers.py", files), (0, ""))

    def test_a_layer_may_not_include_one_above(self):
        self.refused("include/shardy/rules/dot.hpp", '#include "shardy/passes/pipeline.hpp"',
                     "rules/ may not include passes/")

    def test_angle_brackets_count_too(self):
        self.refused("include/shardy/rules/dot.hpp", "#  include <shardy/passes/pipeline.hpp>",
                     "rules/ may not include passes/")

    def test_a_layer_may_not_include_a_sibling(self):
        self.refused("src/simulation/run.cpp", '#include "shardy/partitioning/halo.hpp"',
                     "simulation/ may not include partitioning/")

    def test_private_headers_belong_to_their_layer(self):
        self.refused("src/ir/verify.cpp", '#include "text/own.hpp"', "ir/ may not include text/")
        self.allowed("src/ir/verify.cpp", '#include "own.hpp"')

    def test_what_is_in_detail_belongs_to_its_layer(self):
        self.refused("src/c_api/a.cpp", '#include <shardy/ir/detail/walk.hpp>',
                     "c_api/ may not include ir/detail/walk.hpp: it is private")
        self.allowed("src/ir/ir.cpp", '#include <shardy/ir/detail/walk.hpp>')

    def test_the_listed_pairs_alone_may_include_what_is_in_detail(self):
        self.allowed("src/simulation/a.cpp", '#include <shardy/support/detail/math.hpp>')
        self.allowed("include/shardy/propagation/ir_adapter.hpp", '#include <shardy/support/detail/math.hpp>')
        self.refused("src/simulation/a.cpp", '#include <shardy/algebra/detail/axis_check.hpp>',
                     "simulation/ may not include algebra/detail/axis_check.hpp: it is private")
        self.refused("src/c_api/a.cpp", '#include <shardy/support/detail/math.hpp>',
                     "c_api/ may not include support/detail/math.hpp: it is private")

    def test_each_listed_pair_is_needed(self):
        """A pair that no include of this tree needs is to be removed from the table."""
        sys.path.insert(0, str(SCRIPTS))
        import check_layers
        used = set()
        for top in "include/shardy", "src":
            for file in sorted((SCRIPTS.parent / top).rglob("*.[ch]pp")):
                layer = check_layers.layer_of(file.relative_to(SCRIPTS.parent / top)).split("/")[0]
                for owner in re.findall(r'(?m)^\s*#\s*include\s*[<"]shardy/(\w+)/detail/', file.read_text()):
                    used.add((layer, owner))
        listed = {(layer, owner) for layer, owners in check_layers.MAY_INCLUDE_DETAIL.items() for owner in owners}
        self.assertEqual(listed - used, set())

    def test_what_a_lower_layer_may_include_is_allowed_above(self):
        self.allowed("src/checking/check.cpp", '#include "shardy/support/result.hpp"')
        self.allowed("src/passes/insert.cpp", '#include "shardy/ir/module.hpp"')

    def test_only_the_adapter_of_propagation_knows_the_ir(self):
        self.refused("include/shardy/propagation/detail/factor_axes.hpp", '#include "shardy/ir/module.hpp"',
                     "propagation/ may not include ir/")
        self.refused("include/shardy/propagation/detail/factor_axes.hpp", '#include "shardy/propagation/ir_adapter.hpp"',
                     "propagation/ may not include propagation/ir_adapter/")
        self.allowed("include/shardy/propagation/ir_adapter.hpp", '#include "shardy/ir/module.hpp"')
        self.allowed("include/shardy/passes/pipeline.hpp", '#include "shardy/propagation/ir_adapter.hpp"')

    def test_nothing_includes_the_header_of_everything(self):
        self.refused("src/tools/main.cpp", '#include "shardy/shardy.hpp"', "tools/ may not include shardy/")

    def test_costly_headers_have_their_places(self):
        self.refused("include/shardy/text/json.hpp", "#include <nlohmann/json.hpp>",
                     "text/ may not include <nlohmann/json.hpp> here")
        self.refused("src/text/mlir.cpp", "#include <Eigen/Core>", "text/ may not include <Eigen/Core> here")
        self.refused("include/shardy/ir/type.hpp", "#include <ranges>", "ir/ may not include <ranges> here")
        self.refused("src/tools/values.cpp", "#include <nlohmann/json.hpp>",
                     "tools/ may not include <nlohmann/json.hpp> here")
        self.allowed("src/text/json_document.cpp", "#include <nlohmann/json.hpp>")


SOURCE = "int main() {\n  // [use]\n  f();\n\n  g();\n  // [use]\n}\n"
MARKED = "<!-- example: examples/a.cpp [use] -->\n```cpp\n"


class Docs(unittest.TestCase):
    def complaint(self, readme):
        status, output = check("check_docs.py", {"README.md": readme, "examples/a.cpp": SOURCE})
        self.assertEqual(status, 1 if output else 0)
        return output

    def test_the_region_without_its_indentation_passes(self):
        self.assertEqual(self.complaint(MARKED + "f();\n\ng();\n```\n"), "")

    def test_another_text_is_reported(self):
        self.assertEqual(self.complaint(MARKED + "f();\n```\n"),
                         "README.md:2: differs from examples/a.cpp [use]\n")

    def test_an_unmarked_cpp_block_is_reported(self):
        self.assertEqual(self.complaint("```cpp\nf();\n```\n"),
                         "README.md:1: a cpp block needs an <!-- example: path [name] --> mark\n")
        self.assertEqual(self.complaint("```bash\nls\n```\n"), "")

    def test_an_unknown_region_or_file_is_reported(self):
        self.assertEqual(self.complaint("<!-- example: examples/a.cpp [no] -->\n```cpp\n```\n"),
                         "README.md:2: examples/a.cpp has 0 lines `// [no]`, not 2\n")
        self.assertEqual(self.complaint("<!-- example: b.out -->\n```\n```\n"), "README.md:2: no file b.out\n")

    def test_a_whole_file_can_be_quoted(self):
        self.assertEqual(self.complaint(f"<!-- example: examples/a.cpp -->\n```cpp\n{SOURCE}```\n"), "")

    def test_a_mark_without_a_block_is_reported(self):
        self.assertIn("right before its block", self.complaint("<!-- example: examples/a.cpp [use] -->\ntext\n"))
        self.assertIn("right before its block", self.complaint("<!-- example examples/a.cpp -->\n```cpp\n```\n"))


class Paths(unittest.TestCase):
    def complaint(self, text, document="docs/a.md"):
        files = {document: text, "docs/b.md": "", "src/b.cpp": ""}
        status, output = check("check_docs.py", files)
        self.assertEqual(status, 1 if output else 0)
        return output

    def test_files_that_are_there_pass(self):
        self.assertEqual(self.complaint("`docs/b.md`, src/b.cpp. [b](b.md#part), [web](https://a.b/c), [here](#x), build/src/c"), "")
        self.assertEqual(self.complaint("src/*.cpp, `src/NAME.cpp`, `docs/`, [b](docs/b.md)", "README.md"), "")

    def test_files_that_are_not_there_are_reported(self):
        self.assertEqual(self.complaint("text\n`src/c.cpp` and src/b"),
                         "docs/a.md:2: no file src/c.cpp\ndocs/a.md:2: no file src/b\n")
        self.assertEqual(self.complaint("[b](docs/b.md)"), "docs/a.md:1: no file docs/b.md\n")
        self.assertEqual(self.complaint("`tests/LAYER/x.cpp`"), "docs/a.md:1: no file tests/LAYER/x.cpp\n")


class Codes(unittest.TestCase):
    def test_codes_of_documents_are_those_of_the_sources(self):
        files = {"docs/spec/a.md": "E_KERNEL and\nE_KERNELS, N_NONE", "src/a.cpp": '"E_KERNEL"'}
        self.assertEqual(check("check_docs.py", files),
                         (1, "docs/spec/a.md:2: no source reports E_KERNELS\ndocs/spec/a.md:2: no source reports N_NONE\n"))
        self.assertEqual(check("check_docs.py", {**files, "docs/spec/a.md": "E_KERNEL"}), (0, ""))


class Tidy(unittest.TestCase):
    def test_a_build_that_hides_the_sources_is_refused(self):
        commands = '[{"file": "/b/Unity/unity_0_cxx.cxx", "command": "c++ -c unity_0_cxx.cxx"}]'
        status, output = check("tidy.py", {"compile_commands.json": commands})
        self.assertEqual(status, 1)
        self.assertIn("SHARDY_UNITY hides the sources", output)


if __name__ == "__main__":
    unittest.main()
