// Compares every communication op, on random meshes, with groups that are lists of devices.
#include <algorithm>
#include <map>
#include <set>

#include "shardy/algebra/axis_list.hpp"
#include "shardy/algebra/shard_layout.hpp"
#include "simulation/random_values.hpp"

namespace shardy_test::collective_test {
namespace {

using shardy::AxisList;
using shardy::AxisRef;
using shardy::ir::AttributeMap;
using shardy::ir::AxesAttr;
using shardy::ir::IntegerAttr;
using shardy::ir::PermuteMap;
using shardy::ir::SymbolAttr;

struct Setup {
  Mesh mesh;
  AxisList axes;
  int64_t group_size = 1;
};

/// Returns sub-axes of random sizes that together are the axis.
std::vector<AxisRef> parts_of(Random& random, int32_t axis, int64_t size) {
  std::vector<AxisRef> parts;
  int64_t pre = 1;
  for (int64_t rest = size; rest > 1;) {
    Dims divisors;
    for (int64_t divisor = 2; divisor <= rest; ++divisor) {
      if (rest % divisor == 0) divisors.push_back(divisor);
    }
    const int64_t part = random.pick(divisors);
    parts.push_back({axis, pre, part});
    pre *= part;
    rest /= part;
  }
  if (size == 1) parts.push_back({axis, 1, 1});
  return parts;
}

Setup random_setup(Random& random) {
  std::vector<MeshAxis> axes;
  int64_t num_devices = 1;
  for (int64_t count = random.between(1, 3); count > 0; --count) {
    const int64_t size = random.pick(Dims{1, 2, 3, 4, 6});
    if (num_devices * size > 24) break;
    axes.push_back({std::string(1, static_cast<char>('a' + axes.size())), size});
    num_devices *= size;
  }
  Dims ids(static_cast<std::size_t>(num_devices));
  std::iota(ids.begin(), ids.end(), 0);
  if (random.chance(50)) ids = random.shuffled(ids);
  Setup setup{Mesh::make(axes, ids).value(), {}, 1};
  std::vector<AxisRef> parts;
  for (int32_t axis = 0; axis < setup.mesh.num_axes(); ++axis) {
    for (const AxisRef& part : parts_of(random, axis, setup.mesh.axis_size(axis))) {
      parts.push_back(part);
    }
  }
  for (const AxisRef& part : random.shuffled(parts)) {
    if (random.chance(60)) {
      shardy::append_or_merge(setup.axes, part);
      setup.group_size *= part.size;
    }
  }
  return setup;
}

AttributeMap attributes_of(const Setup& setup) {
  AttributeMap attributes;
  attributes.set("mesh", SymbolAttr{"m"});
  attributes.set("axes", AxesAttr{setup.mesh, setup.axes});
  return attributes;
}

/// Returns a @main with one op of this kind on values of `types`.
Module one_op_program(const Setup& setup, OpKind kind, const std::vector<Type>& types,
                      const AttributeMap& attributes,
                      const std::function<shardy::ir::RegionId(GraphBuilder&)>& region = {}) {
  return program(
      types,
      [&](GraphBuilder& graph, const Values& arguments) {
        shardy::ir::OpSpec spec{.kind = kind, .operands = arguments, .attributes = attributes};
        if (region) spec.regions = {region(graph)};
        return graph.op(std::move(spec));
      },
      [&](GraphBuilder& graph) { graph.mesh("m", setup.mesh); });
}

using Groups = std::vector<std::vector<int64_t>>;  // device ids, by rank

/// Runs the program on all devices and compares each result with `expected(group, rank)`.
void check_groups(
    const Setup& setup, const Module& module, const std::vector<Tensors>& inputs,
    const std::function<Tensors(const std::vector<int64_t>& group, std::size_t rank)>& expected) {
  const Result<RunResult> result =
      shardy::simulation::run(module, "main", inputs, {.num_workers = 2});
  if (!result) FAIL(located_message_of(result));
  for (const std::vector<int64_t>& group : shardy::replica_groups(setup.mesh, setup.axes)) {
    for (std::size_t rank = 0; rank < group.size(); ++rank) {
      CAPTURE(group, rank);
      CHECK(result->outputs[static_cast<std::size_t>(group[rank])] == expected(group, rank));
    }
  }
}

/// Returns random inputs, which differ between devices.
std::vector<Tensors> random_inputs(Random& random, const Setup& setup,
                                   const std::vector<Type>& types) {
  std::vector<Tensors> inputs;
  for (int64_t device = 0; device < setup.mesh.num_devices(); ++device) {
    inputs.emplace_back();
    for (const Type& type : types) {
      inputs.back().push_back(
          random.numbers(type.element(), {type.dims().begin(), type.dims().end()}, 0, 100));
    }
  }
  return inputs;
}

Grid input_of(const std::vector<Tensors>& inputs, int64_t device, std::size_t operand = 0) {
  return Grid(inputs[static_cast<std::size_t>(device)][operand]);
}

TEST_CASE("all_gather concatenates the shards of a group", "[simulation][collective][random]") {
  Random random;
  for (int round = 0; round < 30; ++round) {
    const Setup setup = random_setup(random);
    const auto dim = static_cast<std::size_t>(random.between(0, 1));
    const std::vector<Type> types = {Type::tensor({2, 3}, ElementType::F32),
                                     Type::tensor({1, 2, 2}, ElementType::I64)};
    AttributeMap attributes = attributes_of(setup);
    attributes.set("dim", IntegerAttr{static_cast<int64_t>(dim)});
    CAPTURE(setup.mesh, setup.axes, dim);
    const auto inputs = random_inputs(random, setup, types);
    check_groups(setup, one_op_program(setup, OpKind::SpmdAllGather, types, attributes), inputs,
                 [&](const std::vector<int64_t>& group, std::size_t) {
                   Tensors all;
                   for (std::size_t operand = 0; operand < types.size(); ++operand) {
                     Dims sizes(types[operand].dims().begin(), types[operand].dims().end());
                     const int64_t block = sizes[dim];
                     sizes[dim] *= setup.group_size;
                     all.push_back(grid_of(sizes, [&](Dims index) {
                                     const auto from = static_cast<std::size_t>(index[dim] / block);
                                     index[dim] %= block;
                                     return input_of(inputs, group[from], operand).at(index);
                                   }).as(types[operand].element()));
                   }
                   return all;
                 });
  }
}

TEST_CASE("all_to_all gives block r of every rank to rank r", "[simulation][collective][random]") {
  Random random;
  for (int round = 0; round < 30; ++round) {
    const Setup setup = random_setup(random);
    const auto split = static_cast<std::size_t>(random.between(0, 1));
    const auto concat = static_cast<std::size_t>(random.between(0, 1));
    Dims sizes = {2, 3};
    const int64_t block = sizes[split];
    sizes[split] *= setup.group_size;
    const std::vector<Type> types = {Type::tensor(sizes, ElementType::I32)};
    AttributeMap attributes = attributes_of(setup);
    attributes.set("split_dim", IntegerAttr{static_cast<int64_t>(split)});
    attributes.set("concat_dim", IntegerAttr{static_cast<int64_t>(concat)});
    CAPTURE(setup.mesh, setup.axes, split, concat);
    const auto inputs = random_inputs(random, setup, types);
    Dims piece = {2, 3};
    Dims result = piece;
    result[concat] *= setup.group_size;
    check_groups(setup, one_op_program(setup, OpKind::SpmdAllToAll, types, attributes), inputs,
                 [&](const std::vector<int64_t>& group, std::size_t rank) {
                   return Tensors{grid_of(result, [&](Dims index) {
                                    const auto from =
                                        static_cast<std::size_t>(index[concat] / piece[concat]);
                                    index[concat] %= piece[concat];
                                    index[split] += block * static_cast<int64_t>(rank);
                                    return input_of(inputs, group[from]).at(index);
                                  }).as(ElementType::I32)};
                 });
  }
}

TEST_CASE("all_to_all moves slices of any size between many devices", "[simulation][collective]") {
  constexpr int64_t kDevices = 131;  // more than a batch of devices, and not a multiple of one
  struct Case {
    ElementType element;
    int64_t piece;  // elements
  };
  for (const auto& [element, piece] :
       {Case{ElementType::I8, 1}, Case{ElementType::I8, 3}, Case{ElementType::BF16, 1},
        Case{ElementType::F32, 1}, Case{ElementType::F32, 2}, Case{ElementType::F32, 4},
        Case{ElementType::F64, 7}, Case{ElementType::I32, 0}}) {
    CAPTURE(shardy::ir::info(element).name, piece);
    const Mesh mesh = *Mesh::make({MeshAxis{"x", kDevices}});
    const Type type = Type::tensor({kDevices * piece}, element);
    AttributeMap attributes;
    attributes.set("axes", AxesAttr{mesh, {mesh.full_axis(0)}});
    attributes.set("mesh", SymbolAttr{"mesh"});
    attributes.set("split_dim", IntegerAttr{0});
    attributes.set("concat_dim", IntegerAttr{0});
    const Module module = program(
        {type},
        [&](GraphBuilder& graph, const Values& arguments) {
          return Values{graph.value_of(
              {.kind = OpKind::SpmdAllToAll, .operands = arguments, .attributes = attributes})};
        },
        [&](GraphBuilder& graph) { graph.mesh("mesh", mesh); });
    // Element i of device d is (131 d + i) mod 101, which is exact in all types, even in a byte.
    const auto value = [](int64_t device, int64_t at) {
      return static_cast<double>((131 * device + at) % 101);
    };
    std::vector<Tensors> inputs;
    for (int64_t device = 0; device < kDevices; ++device) {
      std::vector<double> values;
      for (int64_t at = 0; at < kDevices * piece; ++at) values.push_back(value(device, at));
      inputs.push_back({tensor(element, {kDevices * piece}, values)});
    }
    const auto result = shardy::simulation::run(module, "main", inputs);
    REQUIRE(result);
    for (int64_t device = 0; device < kDevices; ++device) {
      std::vector<double> wanted;
      for (int64_t sender = 0; sender < kDevices; ++sender) {
        for (int64_t at = 0; at < piece; ++at) {
          wanted.push_back(value(sender, device * piece + at));
        }
      }
      CHECK(result->outputs[static_cast<std::size_t>(device)][0].to_doubles() == wanted);
    }
  }
}

shardy::ir::RegionId reducer(GraphBuilder& graph, const std::vector<Type>& scalars, OpKind kind) {
  return graph.region(
      scalars,
      [&](std::span<const ValueId> args) {
        Values results;
        const std::size_t count = args.size() / 2;
        for (std::size_t pair = 0; pair < count; ++pair) {
          results.push_back(graph.binary(kind, args[pair], args[count + pair]));
        }
        return results;
      },
      OpKind::StablehloReturn);
}

TEST_CASE("all_reduce and reduce_scatter reduce in rank order",
          "[simulation][collective][random]") {
  Random random;
  for (int round = 0; round < 30; ++round) {
    const Setup setup = random_setup(random);
    // Subtraction is not a valid reducer, but its result depends on the order.
    const bool ordered = random.chance(50);
    const OpKind kind = ordered ? OpKind::Subtract : OpKind::Maximum;
    const bool scatters = random.chance(50);
    const Dims sizes = {2 * setup.group_size, 2};
    const std::vector<Type> types = {Type::tensor(sizes, ElementType::F32)};
    AttributeMap attributes = attributes_of(setup);
    if (scatters) attributes.set("dim", IntegerAttr{0});
    CAPTURE(setup.mesh, setup.axes, scatters);
    const auto inputs = random_inputs(random, setup, types);
    const Type one = Type::tensor({}, ElementType::F32);
    const Module module =
        one_op_program(setup, scatters ? OpKind::SpmdReduceScatter : OpKind::SpmdAllReduce, types,
                       attributes, [&](GraphBuilder& graph) {
                         return reducer(graph, {one, one}, kind);
                       });
    check_groups(setup, module, inputs, [&](const std::vector<int64_t>& group, std::size_t rank) {
      Dims result = sizes;
      if (scatters) result[0] = 2;
      const int64_t first = scatters ? 2 * static_cast<int64_t>(rank) : 0;
      return Tensors{grid_of(result, [&](Dims index) {
                       index[0] += first;
                       double acc = input_of(inputs, group[0]).at(index);
                       for (std::size_t r = 1; r < group.size(); ++r) {
                         const double x = input_of(inputs, group[r]).at(index);
                         acc = ordered ? acc - x : std::max(acc, x);
                       }
                       return acc;
                     }).as(ElementType::F32)};
    });
  }
}

/// Returns numbers whose sum depends on the order of the terms.
Tensor uneven_numbers(const Type& type, int64_t seed) {
  std::vector<double> values(static_cast<std::size_t>(type.num_elements()));
  for (std::size_t at = 0; at < values.size(); ++at) {
    values[at] = static_cast<double>((at + 1) * static_cast<std::size_t>(7919 * seed + 31) % 10007);
    values[at] = values[at] / 997 - 5;
  }
  return Tensor::from_doubles(type, values).value();
}

/// Returns the sum of each element over all devices, in device order.
std::vector<float> sums_of(const std::vector<Tensors>& inputs) {
  const std::span<const float> first = inputs[0][0].elements<float>();
  std::vector<float> sums(first.begin(), first.end());
  for (std::size_t device = 1; device < inputs.size(); ++device) {
    const std::span<const float> next = inputs[device][0].elements<float>();
    for (std::size_t at = 0; at < sums.size(); ++at) sums[at] += next[at];
  }
  return sums;
}

/// Returns block `rank`, of `ranks` blocks along `dim`, of an array of these sizes.
std::vector<float> block_of_sums(const std::vector<float>& sums, const Dims& sizes, int64_t dim,
                                 int64_t ranks, int64_t rank) {
  std::vector<float> block;
  const int64_t row = dim == 0 ? sizes[0] * sizes[1] : sizes[1];
  for (int64_t at = 0; at < std::ssize(sums); ++at) {
    if (at % row / (row / ranks) == rank) block.push_back(sums[static_cast<std::size_t>(at)]);
  }
  return block;
}

TEST_CASE("large operands are reduced in rank order, whatever device reduces a slice",
          "[simulation][collective][large]") {
  const Type one = Type::tensor({}, ElementType::F32);
  for (const int64_t ranks : {1, 2, 3, 6}) {
    const Setup setup{Mesh::make({{"x", ranks}}).value(), {{0, 1, ranks}}, ranks};
    // Sizes are below, at and above a segment, and large enough for many threads. Rows are shorter
    // and longer than a segment.
    for (const Dims& sizes : {Dims{6, 341}, Dims{6, 2048}, Dims{12, 4098}, Dims{30000, 6}}) {
      const Type type = Type::tensor(sizes, ElementType::F32);
      std::vector<Tensors> inputs;
      for (int64_t rank = 0; rank < ranks; ++rank) inputs.push_back({uneven_numbers(type, rank)});
      const std::vector<float> sums = sums_of(inputs);
      for (const int64_t dim : {-1, 0, 1}) {
        if (dim == 1 && sizes[1] % ranks != 0) continue;
        AttributeMap attributes = attributes_of(setup);
        if (dim >= 0) attributes.set("dim", IntegerAttr{dim});
        const Module module =
            one_op_program(setup, dim >= 0 ? OpKind::SpmdReduceScatter : OpKind::SpmdAllReduce,
                           {type}, attributes, [&](GraphBuilder& graph) {
                             return reducer(graph, {one, one}, OpKind::Add);
                           });
        for (const int64_t workers : {1, 2, 5}) {
          CAPTURE(ranks, sizes, dim, workers);
          const auto result =
              shardy::simulation::run(module, "main", inputs, {.num_workers = workers});
          REQUIRE(result);
          for (int64_t rank = 0; rank < ranks; ++rank) {
            const auto got = result->outputs[static_cast<std::size_t>(rank)][0].elements<float>();
            const auto wanted = dim < 0 ? sums : block_of_sums(sums, sizes, dim, ranks, rank);
            CHECK(std::ranges::equal(got, wanted));
          }
        }
      }
    }
  }
}

TEST_CASE("a variadic all_reduce keeps values and indices together", "[simulation][collective]") {
  const Setup setup{Mesh::make({{"x", 3}}).value(), {{0, 1, 3}}, 3};
  const Type value = Type::tensor({}, ElementType::F32);
  const Type place = Type::tensor({}, ElementType::I64);
  const Module module =
      one_op_program(setup, OpKind::SpmdAllReduce,
                     {Type::tensor({2}, ElementType::F32), Type::tensor({2}, ElementType::I64)},
                     attributes_of(setup), [&](GraphBuilder& graph) {
                       const std::vector<Type> scalars = {value, place, value, place};
                       return graph.region(
                           scalars,
                           [&](std::span<const ValueId> args) {
                             const ValueId left = graph.compare(args[0], args[2], "GE");
                             return Values{graph.select(left, args[0], args[2]),
                                           graph.select(left, args[1], args[3])};
                           },
                           OpKind::StablehloReturn);
                     });
  const auto device = [](double a, double b, double at) {
    return Tensors{vector_of(ElementType::F32, {a, b}), vector_of(ElementType::I64, {at, at})};
  };
  const auto result =
      shardy::simulation::run(module, "main", {device(1, 9, 0), device(7, 2, 1), device(7, 9, 2)});
  REQUIRE(result);
  for (const Tensors& outputs : result->outputs) {
    CHECK(outputs ==
          Tensors{vector_of(ElementType::F32, {7, 9}), vector_of(ElementType::I64, {1, 0})});
  }
}

TEST_CASE("broadcast_from gives the operand of the root to its group",
          "[simulation][collective][random]") {
  Random random;
  for (int round = 0; round < 15; ++round) {
    const Setup setup = random_setup(random);
    const int64_t root = random.between(0, setup.group_size - 1);
    const std::vector<Type> types = {Type::tensor({2}, ElementType::BF16)};
    AttributeMap attributes = attributes_of(setup);
    attributes.set("root", IntegerAttr{root});
    CAPTURE(setup.mesh, setup.axes, root);
    const auto inputs = random_inputs(random, setup, types);
    check_groups(setup, one_op_program(setup, OpKind::SpmdBroadcastFrom, types, attributes), inputs,
                 [&](const std::vector<int64_t>& group, std::size_t) {
                   return inputs[static_cast<std::size_t>(group[static_cast<std::size_t>(root)])];
                 });
  }
}

// ---- permute -----------------------------------------------------------------------------------

/// Checks a permute in which rank q receives from rank `source(q)`; -1: from none.
void check_permute(Random& random, const Setup& setup, const PermuteMap& map,
                   const std::function<int64_t(int64_t)>& source) {
  const std::vector<Type> types = {Type::tensor({2}, ElementType::I32)};
  AttributeMap attributes = attributes_of(setup);
  attributes.set("map", map);
  CAPTURE(setup.mesh, setup.axes, static_cast<int>(map.kind), map.numbers);
  const auto inputs = random_inputs(random, setup, types);
  check_groups(setup, one_op_program(setup, OpKind::SpmdPermute, types, attributes), inputs,
               [&](const std::vector<int64_t>& group, std::size_t rank) {
                 const int64_t from = source(static_cast<int64_t>(rank));
                 if (from < 0) return Tensors{vector_of(ElementType::I32, {0, 0})};
                 return inputs[static_cast<std::size_t>(group[static_cast<std::size_t>(from)])];
               });
}

TEST_CASE("permutes compute ranks by arithmetic", "[simulation][collective][permute][random]") {
  Random random;
  for (int round = 0; round < 20; ++round) {
    const Setup setup = random_setup(random);
    const int64_t size = setup.group_size;
    const int64_t by = random.between(-size - 1, size + 1);
    check_permute(random, setup, {.kind = PermuteMap::Kind::Shift, .numbers = {by}},
                  [&](int64_t q) { return q + by >= 0 && q + by < size ? q + by : -1; });
    check_permute(random, setup, {.kind = PermuteMap::Kind::Rotate, .numbers = {by}},
                  [&](int64_t q) { return (q + by + 3 * size) % size; });
    check_permute(random, setup, {.kind = PermuteMap::Kind::Mirror},
                  [&](int64_t q) { return size - 1 - q; });
    // floor((3 q - 4) / 2) + 1 for even q.
    check_permute(random, setup, {.kind = PermuteMap::Kind::Affine, .numbers = {3, -4, 2, 1, 2, 0}},
                  [&](int64_t q) {
                    const int64_t p = (3 * q - 4) / 2 + 1;  // 3 q - 4 is even
                    return q % 2 == 0 && p >= 0 && p < size ? p : -1;
                  });
    // Odd numerators: floor, not truncation. For even q, floor((3 q - 5) / 2) is (3 q - 6) / 2.
    check_permute(random, setup, {.kind = PermuteMap::Kind::Affine, .numbers = {3, -5, 2, 1, 2, 0}},
                  [&](int64_t q) {
                    const int64_t p = (3 * q - 6) / 2 + 1;
                    return q % 2 == 0 && p >= 0 && p < size ? p : -1;
                  });
  }
}

TEST_CASE("overflowing numbers of permute maps are errors", "[simulation][collective][permute]") {
  Random random;
  const Setup setup{Mesh::make({{"x", 4}}).value(), {{0, 1, 4}}, 4};
  check_permute(random, setup, {.kind = PermuteMap::Kind::Shift, .numbers = {INT64_MIN}},
                [](int64_t) { return -1; });
  check_permute(random, setup, {.kind = PermuteMap::Kind::Rotate, .numbers = {INT64_MIN}},
                [](int64_t q) { return q; });
  check_permute(
      random, setup,
      {.kind = PermuteMap::Kind::Affine, .numbers = {INT64_MAX, INT64_MAX, INT64_MAX, -1, 1, 0}},
      [](int64_t q) { return q; });
}

TEST_CASE("relabel reads source and receiver ranks in two axis orders",
          "[simulation][collective][permute]") {
  // Mesh <x=2, y=3>, all axes. The source's coordinate along [y, x] is the receiver's along [x, y]:
  // receiver (x, y) has 3 x + y = 2 y' + x' of source (x', y').
  Random random;
  const Setup setup{Mesh::make({{"x", 2}, {"y", 3}}).value(), {{0, 1, 2}, {1, 1, 3}}, 6};
  PermuteMap map{.kind = PermuteMap::Kind::Relabel};
  map.source_order = {{1, 1, 3}, {0, 1, 2}};
  map.receiver_order = {{0, 1, 2}, {1, 1, 3}};
  map.mesh = setup.mesh;
  check_permute(random, setup, map, [](int64_t q) {
    const int64_t y = q / 2;
    const int64_t x = q % 2;
    return 3 * x + y;
  });
}

TEST_CASE("relabel moves the coordinates of receivers by its numbers",
          "[simulation][collective][permute]") {
  // Mesh <x=2, y=3>: receiver (x, y) reads what source (x + 1, y - 1) along [x, y] has, modulo
  // 2, 3.
  Random random;
  const Setup setup{Mesh::make({{"x", 2}, {"y", 3}}).value(), {{0, 1, 2}, {1, 1, 3}}, 6};
  PermuteMap map{.kind = PermuteMap::Kind::Relabel, .numbers = {1, -1}};
  map.source_order = map.receiver_order = {{0, 1, 2}, {1, 1, 3}};
  map.mesh = setup.mesh;
  check_permute(random, setup, map,
                [](int64_t q) { return (q / 3 + 1) % 2 * 3 + (q % 3 + 2) % 3; });
}

TEST_CASE("relabel moves the coordinates of sources by its further numbers",
          "[simulation][collective][permute]") {
  // Mesh <x=2, y=3>: receiver (x, y) is number r = 2 (y + 1) + x along [y, x], modulo 3. Source
  // (x', y') has r = 3 x' + y' - 1, where y' - 1 is modulo 3.
  Random random;
  const Setup setup{Mesh::make({{"x", 2}, {"y", 3}}).value(), {{0, 1, 2}, {1, 1, 3}}, 6};
  PermuteMap map{.kind = PermuteMap::Kind::Relabel, .numbers = {1, 0, 0, 1}};
  map.source_order = {{0, 1, 2}, {1, 1, 3}};
  map.receiver_order = {{1, 1, 3}, {0, 1, 2}};
  map.mesh = setup.mesh;
  check_permute(random, setup, map, [](int64_t q) {
    const int64_t r = 2 * ((q % 3 + 1) % 3) + q / 3;
    return r / 3 * 3 + (r % 3 + 1) % 3;
  });
}

TEST_CASE("relabel moves data only within a group", "[simulation][collective][permute]") {
  // A group has the two halves of x, which swap. Devices with different y are in different groups.
  Random random;
  const Setup setup{Mesh::make({{"y", 2}, {"x", 4}}, {7, 6, 5, 4, 3, 2, 1, 0}).value(),
                    {{1, 1, 2}, {1, 2, 2}},
                    4};
  PermuteMap map{.kind = PermuteMap::Kind::Relabel};
  map.source_order = {{1, 2, 2}, {1, 1, 2}};
  map.receiver_order = {{1, 1, 4}};
  map.mesh = setup.mesh;
  check_permute(random, setup, map, [](int64_t q) { return q % 2 * 2 + q / 2; });
}

TEST_CASE("remesh moves data to the device order of another mesh",
          "[simulation][collective][permute]") {
  Random random;
  const Setup setup{Mesh::make({{"x", 4}}, {2, 0, 3, 1}).value(), {{0, 1, 4}}, 4};
  PermuteMap map{.kind = PermuteMap::Kind::Remesh};
  map.mesh = Mesh::make({{"x", 4}}, {1, 2, 0, 3}).value();
  // The receiver at position q receives from device source_devices[q].
  const int64_t rank_of_device[] = {1, 3, 0, 2};
  const int64_t source_devices[] = {1, 2, 0, 3};
  check_permute(random, setup, map, [&](int64_t q) { return rank_of_device[source_devices[q]]; });
}

TEST_CASE("permute pairs name devices", "[simulation][collective][permute]") {
  Random random;
  const Setup setup{Mesh::make({{"g", 2}, {"x", 2}}, {3, 1, 2, 0}).value(), {{1, 1, 2}}, 2};
  // The groups are [3, 1] and [2, 0]. Device 3 sends to device 1, device 0 to device 2.
  const Module module =
      one_op_program(setup, OpKind::SpmdPermute, {Type::tensor({}, ElementType::I32)}, [&] {
        AttributeMap attributes = attributes_of(setup);
        attributes.set("map", PermuteMap{.kind = PermuteMap::Kind::Pairs, .numbers = {3, 1, 0, 2}});
        return attributes;
      }());
  std::vector<Tensors> inputs;
  for (int device = 0; device < 4; ++device)
    inputs.push_back({scalar(ElementType::I32, 10 + device)});
  const auto result = shardy::simulation::run(module, "main", inputs);
  REQUIRE(result);
  CHECK(result->outputs[0][0] == scalar(ElementType::I32, 0));
  CHECK(result->outputs[1][0] == scalar(ElementType::I32, 13));
  CHECK(result->outputs[2][0] == scalar(ElementType::I32, 10));
  CHECK(result->outputs[3][0] == scalar(ElementType::I32, 0));
}

TEST_CASE("coord and device_id return the position of a device",
          "[simulation][collective][random]") {
  Random random;
  for (int round = 0; round < 15; ++round) {
    const Setup setup = random_setup(random);
    const Module module = program(
        {},
        [&](GraphBuilder& graph, const Values&) {
          AttributeMap mesh;
          mesh.set("mesh", SymbolAttr{"m"});
          return Values{
              graph.value_of({.kind = OpKind::SpmdCoord, .attributes = attributes_of(setup)}),
              graph.value_of({.kind = OpKind::SpmdDeviceId, .attributes = mesh})};
        },
        [&](GraphBuilder& graph) { graph.mesh("m", setup.mesh); });
    const std::vector<Tensors> none(static_cast<std::size_t>(setup.mesh.num_devices()));
    CAPTURE(setup.mesh, setup.axes);
    const auto result = shardy::simulation::run(module, "main", none, {.num_workers = 1});
    REQUIRE(result);
    for (const auto& group : shardy::replica_groups(setup.mesh, setup.axes)) {
      for (std::size_t rank = 0; rank < group.size(); ++rank) {
        const Tensors& outputs = result->outputs[static_cast<std::size_t>(group[rank])];
        CHECK(outputs[0] == scalar(ElementType::I64, static_cast<double>(rank)));
        CHECK(outputs[1] == scalar(ElementType::I64, static_cast<double>(group[rank])));
      }
    }
  }
}

}  // namespace
}  // namespace shardy_test::collective_test
