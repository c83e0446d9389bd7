// Plans of gather and scatter: the axes of each dim of their tensors. The meshes have 2, 3 and 6
// devices per axis, and these numbers do not divide some dims. Spec: partitioning 8.16, 8.17.
#include "partitioning/gather.hpp"

#include <cstdint>
#include <optional>
#include <vector>

#include "support/catch.hpp"

using namespace shardy;
using namespace shardy::partitioning;
using ir::ElementType;
using ir::OpKind;
using ir::Type;

namespace gather_test {
namespace {

// The axes of the mesh <["x"=2, "y"=3, "z"=6]>, and the two sub-axes of "z".
const AxisList kNone = {};
const AxisList kX = {{0, 1, 2}};
const AxisList kY = {{1, 1, 3}};
const AxisList kZ = {{2, 1, 6}};
const AxisList kMajorZ = {{2, 1, 2}};  // "z":(1)2
const AxisList kMinorZ = {{2, 2, 3}};  // "z":(2)3

using Dims = std::vector<AxisList>;

Type f32(std::vector<int64_t> dims) { return Type::tensor(std::move(dims), ElementType::F32); }
Type i64(std::vector<int64_t> dims) { return Type::tensor(std::move(dims), ElementType::I64); }

/// Looks up one row of a table of 7x6 per index: result[i, j] = table[indices[i, 0], j].
GatherForm rows_of_table() {
  GatherForm form;
  form.dims.offset_dims = {1};
  form.dims.collapsed_slice_dims = {0};
  form.dims.start_index_map = {0};
  form.dims.index_vector_dim = 1;
  form.sizes = {1, 6};
  form.table = f32({7, 6});
  form.indices = i64({5, 1});
  form.result = f32({5, 6});
  return form;
}

/// Adds rows to an input of 7x6: input[indices[i, 0], j] += updates[i, j].
ScatterForm rows_of_input() {
  ScatterForm form;
  form.dims.update_window_dims = {1};
  form.dims.inserted_window_dims = {0};
  form.dims.scatter_dims_to_operand_dims = {0};
  form.dims.index_vector_dim = 1;
  form.reducers = std::vector<OpKind>{OpKind::Add};
  form.input = f32({7, 6});
  form.indices = i64({5, 1});
  form.updates = f32({5, 6});
  return form;
}

}  // namespace

// ---- gather -------------------------------------------------------------------------------------

TEST_CASE("a gather looks up tables sharded by rows, and its result keeps sharded columns",
          "[partitioning][gather]") {
  // Dim 0 of the result is the batch dim of the indices, and dim 1 is filled by columns. The result
  // is not sharded along "y", so the rows keep "y", and the row of an index is on one of three
  // devices.
  const GatherPlan plan = plan_gather(rows_of_table(), {kY, kNone}, {kX, kMajorZ});
  CHECK(plan.table == Dims{kY, kMajorZ});
  CHECK(plan.indices == Dims{kX, kNone});
  CHECK(plan.result == Dims{kX, kMajorZ});
  CHECK(plan.located == std::vector<GatherPlan::IndexedTableDim>{{0, std::nullopt, false}});
}

TEST_CASE("axes of the result are removed from the rows of the table", "[partitioning][gather]") {
  // A device cannot hold some rows of the table for all indices and also all rows for some indices.
  const GatherPlan same = plan_gather(rows_of_table(), {kX, kNone}, {kX, kNone});
  CHECK(same.table == Dims{kNone, kNone});
  CHECK(same.located.empty());
  // "z" is 2 x 3. The result has the minor part, so the rows keep the major part.
  const GatherPlan part = plan_gather(rows_of_table(), {kZ, kNone}, {kMinorZ, kNone});
  CHECK(part.table == Dims{kMajorZ, kNone});
  CHECK(part.indices == Dims{kMinorZ, kNone});
  CHECK(part.located == std::vector<GatherPlan::IndexedTableDim>{{0, std::nullopt, false}});
  // The result has the major part, and the minor part alone is not a prefix of the axes of the
  // rows.
  const GatherPlan rest = plan_gather(rows_of_table(), {kZ, kNone}, {kMajorZ, kNone});
  CHECK(rest.table == Dims{kNone, kNone});
  CHECK(rest.located.empty());
}

TEST_CASE("dims with partial windows are looked up, and their result dims are replicated",
          "[partitioning][gather]") {
  // Windows of 2x4 in a table of 7x6: result[i, j, k] = table[a + j, b + k].
  GatherForm form = rows_of_table();
  form.dims.offset_dims = {1, 2};
  form.dims.collapsed_slice_dims = {};
  form.dims.start_index_map = {0, 1};
  form.sizes = {2, 4};
  form.indices = i64({5, 2});
  form.result = f32({5, 2, 4});
  const GatherPlan plan = plan_gather(form, {kNone, kY}, {kX, kMajorZ, kMinorZ});
  CHECK(plan.table == Dims{kNone, kY});
  CHECK(plan.indices == Dims{kX, kNone});
  CHECK(plan.result == Dims{kX, kNone, kNone});
  // Dim 1 of the table is dim 2 of the result.
  CHECK(plan.located == std::vector<GatherPlan::IndexedTableDim>{{1, 2, false}});
}

TEST_CASE("batch dims of the table take the axes of the indices", "[partitioning][gather]") {
  // result[b, i, j] = table[b, indices[b, i, 0], j]
  GatherForm form = rows_of_table();
  form.dims.offset_dims = {2};
  form.dims.collapsed_slice_dims = {1};
  form.dims.operand_batching_dims = {0};
  form.dims.start_indices_batching_dims = {0};
  form.dims.start_index_map = {1};
  form.dims.index_vector_dim = 2;
  form.sizes = {1, 1, 6};
  form.table = f32({4, 7, 6});
  form.indices = i64({4, 5, 1});
  form.result = f32({4, 5, 6});
  const GatherPlan plan = plan_gather(form, {kNone, kX, kNone}, {kX, kY, kNone});
  CHECK(plan.table == Dims{kX, kNone, kNone});  // "x" is taken by the batch
  CHECK(plan.indices == Dims{kX, kY, kNone});
  CHECK(plan.located.empty());
}

TEST_CASE("a dim indexed by an iota needs no lookup if the indices have its axes",
          "[partitioning][gather]") {
  // result[b, i, j] = table[indices[b, i, 0], indices[b, i, 1], j] with indices[b, i, 0] = b
  GatherForm form = rows_of_table();
  form.dims.offset_dims = {2};
  form.dims.collapsed_slice_dims = {0, 1};
  form.dims.start_index_map = {0, 1};
  form.dims.index_vector_dim = 2;
  form.counted = {{.input = 0, .indices = 0}};
  form.sizes = {1, 1, 4};
  form.table = f32({6, 7, 4});
  form.indices = i64({6, 5, 2});
  form.result = f32({6, 5, 4});
  const GatherPlan own = plan_gather(form, {kY, kX, kNone}, {kY, kNone, kNone});
  CHECK(own.table == Dims{kY, kX, kNone});
  CHECK(own.indices == Dims{kY, kNone, kNone});
  CHECK(own.located == std::vector<GatherPlan::IndexedTableDim>{{0, std::nullopt, true},
                                                                {1, std::nullopt, false}});
  // With other axes, the rows that a device needs may be on any device, as in any lookup.
  const GatherPlan other = plan_gather(form, {kY, kNone, kNone}, {kX, kNone, kNone});
  CHECK(other.table == Dims{kY, kNone, kNone});
  CHECK(other.located == std::vector<GatherPlan::IndexedTableDim>{{0, std::nullopt, false}});
}

// ---- scatter ------------------------------------------------------------------------------------

TEST_CASE("a scatter of updates sharded by rows gives partial results", "[partitioning][scatter]") {
  // Each device along "x" adds its rows of the updates to the rows of its shard along "y".
  const ScatterPlan plan = plan_scatter(rows_of_input(), {kY, kMajorZ}, {kX, kNone});
  CHECK(plan.input == Dims{kY, kMajorZ});
  CHECK(plan.updates == Dims{kX, kMajorZ});
  CHECK(plan.indices == Dims{kX, kNone});
  CHECK(plan.located == std::vector<std::size_t>{0});
  CHECK(plan.guarded == std::vector<std::size_t>{0});
  CHECK(plan.parts == kX);
}

TEST_CASE("rows of updates are replicated along the axes of the operand",
          "[partitioning][scatter]") {
  const ScatterPlan plan = plan_scatter(rows_of_input(), {kY, kNone}, {kY, kNone});
  CHECK(plan.updates == Dims{kNone, kNone});
  CHECK(plan.indices == Dims{kNone, kNone});
  CHECK(plan.located == std::vector<std::size_t>{0});
  CHECK(plan.guarded.empty());
  CHECK(plan.parts.empty());
}

TEST_CASE("updates with an unknown reducer are replicated", "[partitioning][scatter]") {
  ScatterForm form = rows_of_input();
  form.reducers.reset();
  const ScatterPlan plan = plan_scatter(form, {kNone, kMajorZ}, {kX, kNone});
  CHECK(plan.updates == Dims{kNone, kMajorZ});
  CHECK(plan.indices == Dims{kNone, kNone});
  CHECK(plan.located.empty());
  CHECK(plan.guarded.empty());
  CHECK(plan.parts.empty());
}

TEST_CASE("sub-axes of one axis on two batch dims make one partial axis",
          "[partitioning][scatter]") {
  // input[indices[i, j, 0], k] += updates[i, j, k]: 4x5 rows, "z" is 2 x 3.
  ScatterForm form = rows_of_input();
  form.dims.update_window_dims = {2};
  form.dims.index_vector_dim = 2;
  form.indices = i64({4, 5, 1});
  form.updates = f32({4, 5, 6});
  const ScatterPlan plan = plan_scatter(form, {kNone, kNone}, {kMajorZ, kMinorZ, kNone});
  CHECK(plan.updates == Dims{kMajorZ, kMinorZ, kNone});
  CHECK(plan.indices == Dims{kMajorZ, kMinorZ, kNone});
  CHECK(plan.guarded == std::vector<std::size_t>{0, 1});
  CHECK(plan.parts == kZ);
  CHECK(plan.located.empty());
}

TEST_CASE("a window at a dynamic offset in a sharded dim is looked up, a window at 0 is not",
          "[partitioning][scatter]") {
  // input[a + i, j] += updates[i, j] with one index vector [a].
  ScatterForm form = rows_of_input();
  form.dims.update_window_dims = {0, 1};
  form.dims.inserted_window_dims = {};
  form.dims.index_vector_dim = 0;
  form.indices = i64({1});
  form.updates = f32({7, 6});
  const ScatterPlan moved = plan_scatter(form, {kY, kX}, {kNone, kNone});
  CHECK(moved.updates == Dims{kNone, kX});
  CHECK(moved.located == std::vector<std::size_t>{0});
  form.has_zero_indices = true;
  const ScatterPlan still = plan_scatter(form, {kY, kX}, {kNone, kNone});
  CHECK(still.updates == Dims{kY, kX});
  CHECK(still.located.empty());
}

TEST_CASE("batch dims of updates take the axes of the operand", "[partitioning][scatter]") {
  // input[b, indices[b, i, 0]] += updates[b, i]
  ScatterForm form = rows_of_input();
  form.dims.update_window_dims = {};
  form.dims.inserted_window_dims = {1};
  form.dims.input_batching_dims = {0};
  form.dims.scatter_indices_batching_dims = {0};
  form.dims.scatter_dims_to_operand_dims = {1};
  form.dims.index_vector_dim = 2;
  form.input = f32({4, 7});
  form.indices = i64({4, 5, 1});
  form.updates = f32({4, 5});
  const ScatterPlan plan = plan_scatter(form, {kX, kY}, {kZ, kMajorZ});
  CHECK(plan.updates == Dims{kX, kMajorZ});
  CHECK(plan.indices == Dims{kX, kMajorZ, kNone});
  CHECK(plan.located == std::vector<std::size_t>{1});
  CHECK(plan.guarded == std::vector<std::size_t>{1});
  CHECK(plan.parts == kMajorZ);
}

}  // namespace gather_test
