// Replica groups and pairs of StableHLO collectives as devices, and what they refuse.
#include "ir/process_groups.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/graph_builder.hpp"
#include "support/catch.hpp"

namespace shardy::ir::process_groups_test {
namespace {

constexpr ProcessCounts kEight{.replicas = 8, .partitions = 1};

struct Collective {
  Module module;
  OpId op;
};

Collective collective(OpKind kind, std::string_view name, std::optional<Attribute> attribute) {
  Collective made;
  OpSpec spec{.kind = kind};
  if (attribute) spec.attributes.set(name, *std::move(attribute));
  made.op = made.module.create(std::move(spec));
  made.module.append(made.module.body(), made.op);
  return made;
}

std::string error_of_groups(std::optional<Attribute> groups) {
  const Collective gather = collective(OpKind::AllGather, attr::kReplicaGroups, std::move(groups));
  const auto result = process_groups(gather.module, gather.op, kEight);
  return result ? "" : result.error().message;
}

Attribute rows(const std::vector<int64_t>& ids, int64_t num_rows) {
  const int64_t columns = std::ssize(ids) / num_rows;
  std::vector<std::byte> bytes(ids.size() * sizeof(int64_t));
  std::memcpy(bytes.data(), ids.data(), bytes.size());
  return *Literal::make(Type::tensor({num_rows, columns}, ElementType::I64), std::move(bytes));
}

}  // namespace

TEST_CASE("replica groups with no process or a repeated process are errors",
          "[ir][process_groups]") {
  CHECK(error_of_groups(std::nullopt).empty());
  CHECK(error_of_groups(rows({0, 1, 2, 3}, 2)).empty());
  CHECK(error_of_groups(rows({0, 1, 1, 2}, 2)) == "a process is in two groups");
  CHECK(error_of_groups(OpaqueAttr{"#foo.groups"}) ==
        "`replica_groups` is neither a tensor nor of a mesh");
  CHECK(error_of_groups(OpaqueAttr{"#stablehlo.replica_group_mesh_axes<mesh = @gone, axes = "
                                   "[#stablehlo.axis_ref<name = \"x\">]>"}) ==
        "unknown mesh @gone");
}

TEST_CASE("a mesh with more devices than the run has processes is an error",
          "[ir][process_groups]") {
  Collective gather = collective(
      OpKind::AllGather, attr::kReplicaGroups,
      OpaqueAttr{"#stablehlo.replica_group_mesh_axes<mesh = @m, axes = [#stablehlo.axis_ref<name = "
                 "\"x\">]>"});
  gather.module.add_mesh("m", *Mesh::make({{"x", 16}}));
  const auto result = process_groups(gather.module, gather.op, kEight);
  REQUIRE_FALSE(result);
  CHECK(result.error().message == "the mesh has 16 devices, more than the run has processes, 8");
}

TEST_CASE("a permute without pairs is an error", "[ir][process_groups]") {
  const Collective permute =
      collective(OpKind::CollectivePermute, attr::kSourceTargetPairs, std::nullopt);
  const auto result = process_pairs(permute.module, permute.op, kEight);
  REQUIRE_FALSE(result);
  CHECK(result.error().message == "`source_target_pairs` is missing");
}

}  // namespace shardy::ir::process_groups_test
