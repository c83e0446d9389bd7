// Warnings of the option `strict`. Spec: dialect 10, 11 (D3); algebra 1.5 (Q1).
#include "ir/verify_row.hpp"
#include "shardy/ir/verify.hpp"

namespace shardy_test::verify_strict_test {
namespace {

using enum OpKind;

const std::string kF32 = "tensor<16x8xf32>";
const std::string kNone = "<@m, [{}, {}]>";
const std::string kOverX = "<@m, [{}, {}], unreduced={\"x\"}>";
const std::string kOverY = "<@m, [{}, {}], unreduced={\"y\"}>";
const std::string kOverXY = "<@m, [{}, {}], unreduced={\"x\", \"y\"}>";

struct Row {
  std::string name;
  OpKind kind;
  std::string in;
  std::string out;
  std::pair<std::string, Attribute> axes;
  std::string warning = {};
};

Mesh mesh() { return ModuleMaker::mesh("<[\"x\"=2, \"y\"=4]>"); }
std::pair<std::string, Attribute> lists(std::string name, std::vector<AxisList> axes) {
  return {std::move(name), AxesListsAttr{mesh(), std::move(axes)}};
}
std::pair<std::string, Attribute> reduced(AxisList axes) {
  return {"reduction_axes", AxesAttr{mesh(), std::move(axes)}};
}

std::vector<Row> rows() {
  const auto none = lists("gathering_axes", {{}, {}});
  const auto no_slices = lists("slicing_axes", {{}, {}});
  return {
      {"reduces what is unreduced", SdyAllReduce, kOverXY, kOverX, reduced({kY})},
      {"reduces what is not unreduced", SdyAllReduce, kNone, kNone, reduced({kY})},
      {"reduces an operand without sharding", SdyAllReduce, "", kNone, reduced({kY})},
      {"drops more than it reduces", SdyAllReduce, kOverXY, kNone, reduced({kY}),
       "expected result unreduced axes {\"x\"}, got {}"},
      {"reduces a part", SdyAllReduce, kOverY, "<@m, [{}, {}], unreduced={\"y\":(1)2}>",
       reduced({kYMinor})},
      {"drops the other part", SdyAllReduce, kOverY, kNone, reduced({kYMinor}),
       "expected result unreduced axes {\"y\":(1)2}, got {}"},
      {"scatters what is unreduced", SdyReduceScatter, kOverXY,
       "<@m, [{\"x\"}, {}], unreduced={\"y\"}>", lists("reduce_scatter_axes", {{kX}, {}})},
      {"scatters less than it drops", SdyReduceScatter, kOverXY, "<@m, [{\"x\"}, {}]>",
       lists("reduce_scatter_axes", {{kX}, {}}), "expected result unreduced axes {\"y\"}, got {}"},
      {"gathers", SdyAllGather, kOverX, kOverX, none},
      {"loses axes", SdyAllGather, kOverX, kNone, none,
       "expected result unreduced axes {\"x\"}, got {}"},
      {"finds axes", SdyAllSlice, kNone, kOverX, no_slices,
       "expected result unreduced axes {}, got {\"x\"}"},
      {"finds axes in no sharding", SdyAllSlice, "", kOverX, no_slices,
       "expected result unreduced axes {}, got {\"x\"}"},
      {"swaps axes",
       SdyAllToAll,
       "<@m, [{\"y\"}, {}], unreduced={\"x\"}>",
       "<@m, [{}, {\"y\"}]>",
       {"params", AllToAllAttr{mesh(), {{{kY}, 0, 1}}}},
       "expected result unreduced axes {\"x\"}, got {}"},
      {"permutes", SdyCollectivePermute, kOverX, kNone, none,
       "expected result unreduced axes {\"x\"}, got {}"},
      {"makes axes unreduced on purpose",
       SdyReplicatedToUnreduced,
       kNone,
       kOverX,
       {"axes", AxesAttr{mesh(), {kX}}}},
      {"makes blocks unreduced on purpose", SdyShardedToUnreduced, "<@m, [{\"x\"}, {}]>", kOverX,
       lists("axes", {{kX}, {}})},
  };
}

std::vector<std::string> collective_warnings(shardy::Diagnostics warnings) {
  return located(warnings);
}

TEST_CASE("an unreduced operand axis that a collective does not reduce stays unreduced",
          "[ir][verify_strict]") {
  for (const Row& row : rows()) {
    ModuleMaker m;
    const ValueId x = m.argument(kF32, row.in);
    m.op({.kind = row.kind,
          .operands = {x},
          .result_types = {type_of(kF32)},
          .attributes = attributes({{"out_sharding", m.sharding(row.out)}, row.axes})});
    m.finish();
    const std::string name(info(row.kind).name);
    CAPTURE(name, row.name);
    CHECK(located(verify(m.module)).empty());  // only strict mode minds
    std::vector<std::string> expected;
    if (!row.warning.empty()) expected.push_back("op 1: '" + name + "' op " + row.warning);
    CHECK(collective_warnings(verify_strict(m.module)) == expected);
  }
}

TEST_CASE("all meshes other than maximal and empty ones have equally many devices",
          "[ir][verify_strict]") {
  Module module;
  module.add_mesh("empty", Mesh());
  module.add_mesh("max", ModuleMaker::mesh("<[], device_ids=[3]>"));
  module.add_mesh("a", ModuleMaker::mesh("<[\"x\"=2, \"y\"=4]>"));
  module.add_mesh("b", ModuleMaker::mesh("<[\"x\"=8]>"));
  CHECK(verify_strict(module).empty());
  const OpId bad = module.add_mesh("c", ModuleMaker::mesh("<[\"x\"=4]>"));
  module.set_location(bad, module.add_location("3:1"));
  CHECK(located(verify_strict(module)) ==
        std::vector<std::string>{"3:1: 'sdy.mesh' op mesh @c has 4 devices, but mesh @a has 8"});
  CHECK(verify(module).empty());
}

}  // namespace
}  // namespace shardy_test::verify_strict_test
