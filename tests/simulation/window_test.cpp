// reduce_window and select_and_scatter against direct loops, map. Spec: stablehlo 24.
#include <limits>
#include <optional>

#include "simulation/random_values.hpp"

namespace shardy_test::window_test {
namespace {

using shardy::ir::DenseArrayAttr;
using shardy::ir::Literal;
using shardy::ir::OpSpec;

/// Windows over a tensor, one entry per dim.
struct Windows {
  Dims sizes, strides, base, dilations, low, high;

  int64_t padded(std::size_t dim, int64_t size) const {
    return low[dim] + (size == 0 ? 0 : (size - 1) * base[dim] + 1) + high[dim];
  }
  Dims counts(const Dims& x) const {
    Dims counts;
    for (std::size_t dim = 0; dim < x.size(); ++dim) {
      const int64_t size = padded(dim, x[dim]);
      const int64_t window = (sizes[dim] - 1) * dilations[dim] + 1;
      counts.push_back(size <= 0 || window > size ? 0 : (size - window) / strides[dim] + 1);
    }
    return counts;
  }
};

Windows random_windows(Random& random, const Dims& x, bool dilates) {
  Windows made;
  for (const int64_t size : x) {
    made.sizes.push_back(random.between(1, 3));
    made.strides.push_back(random.between(1, 3));
    made.base.push_back(dilates ? random.between(1, 3) : 1);
    made.dilations.push_back(dilates ? random.between(1, 2) : 1);
    made.low.push_back(random.chance(60) ? random.between(0, 2) : random.between(-size - 1, 0));
    made.high.push_back(random.chance(60) ? random.between(0, 2) : random.between(-1, 0));
  }
  return made;
}

void set_windows(OpSpec& spec, const Windows& windows, Random& random) {
  const auto set = [&](const char* name, const Dims& values) {
    const bool is_default = std::ranges::all_of(values, [](int64_t value) { return value == 1; });
    if (is_default && random.chance(50)) return;
    spec.attributes.set(name, DenseArrayAttr{ElementType::I64, values});
  };
  spec.attributes.set("window_dimensions", DenseArrayAttr{ElementType::I64, windows.sizes});
  set("window_strides", windows.strides);
  if (spec.kind == OpKind::ReduceWindow) {
    set("base_dilations", windows.base);
    set("window_dilations", windows.dilations);
  }
  Dims padding;
  for (std::size_t dim = 0; dim < windows.low.size(); ++dim) {
    padding.insert(padding.end(), {windows.low[dim], windows.high[dim]});
  }
  const Tensor edges = integers(ElementType::I64, {std::ssize(windows.low), 2}, padding);
  spec.attributes.set("padding", edges.to_literal());
}

Dims sum(const Dims& a, const Dims& b) {
  Dims result = a;
  for (std::size_t dim = 0; dim < a.size(); ++dim) result[dim] += b[dim];
  return result;
}
Dims times(const Dims& a, const Dims& b) {
  Dims result = a;
  for (std::size_t dim = 0; dim < a.size(); ++dim) result[dim] *= b[dim];
  return result;
}

/// x with `init` around it and between its elements.
Grid padded(const Grid& x, const Windows& windows, double init) {
  Dims sizes;
  for (std::size_t dim = 0; dim < x.dims.size(); ++dim) {
    sizes.push_back(std::max<int64_t>(windows.padded(dim, x.dims[dim]), 0));
  }
  Grid result = grid_of(sizes, [&](const Dims&) { return init; });
  for_each_index(x.dims, [&](const Dims& index) {
    const Dims at = sum(windows.low, times(index, windows.base));
    for (std::size_t dim = 0; dim < at.size(); ++dim) {
      if (at[dim] < 0 || at[dim] >= sizes[dim]) return;
    }
    result.at(at) = x.at(index);
  });
  return result;
}

/// A reducer as a region and as a function of two numbers.
struct Reducer {
  const char* name;
  ValueId (*body)(GraphBuilder& graph, ValueId acc, ValueId x);
  double (*apply)(double acc, double x);
};
const std::vector<Reducer> kReducers = {
    {"add", [](GraphBuilder& g, ValueId acc, ValueId x) { return g.add(acc, x); },
     [](double acc, double x) { return acc + x; }},
    {"maximum", [](GraphBuilder& g, ValueId acc, ValueId x) { return g.maximum(acc, x); },
     [](double acc, double x) { return std::max(acc, x); }},
    {"acc - 2 x",
     [](GraphBuilder& g, ValueId acc, ValueId x) { return g.subtract(acc, g.add(x, x)); },
     [](double acc, double x) { return acc - 2 * x; }},
    {"x - acc", [](GraphBuilder& g, ValueId acc, ValueId x) { return g.subtract(x, acc); },
     [](double acc, double x) { return x - acc; }},
    {"case",
     [](GraphBuilder& g, ValueId acc, ValueId x) {
       const ValueId keeps = g.compare(acc, x, "LE");
       return g.if_else(
           keeps, [&] { return Values{acc}; }, [&] { return Values{x}; })[0];
     },
     [](double acc, double x) { return std::min(acc, x); }},
};

const std::vector<ElementType> kElements = {ElementType::F32, ElementType::F64, ElementType::I64,
                                            ElementType::I32};

Dims random_shape(Random& random) {
  Dims x(static_cast<std::size_t>(random.between(0, 3)));
  for (int64_t& size : x) size = random.chance(4) ? 0 : random.between(1, 5);
  return x;
}

TEST_CASE("reduce_window folds each window of the padded input",
          "[simulation][reduce_window][random]") {
  Random random;
  for (int round = 0; round < 3500; ++round) {
    const Dims sizes = random_shape(random);
    const Windows windows = random_windows(random, sizes, true);
    const Reducer& reducer = random.pick(kReducers);
    const ElementType element = random.pick(kElements);
    const Tensor x = random.numbers(element, sizes);
    const Tensor init = random.numbers(element, {}, -2, 2);
    const double start = init.to_doubles()[0];
    const Grid in = padded(Grid(x), windows, start);
    const Grid expected = grid_of(windows.counts(sizes), [&](const Dims& index) {
      double acc = start;
      for_each_index(windows.sizes, [&](const Dims& position) {
        const Dims at = sum(times(index, windows.strides), times(position, windows.dilations));
        acc = reducer.apply(acc, in.at(at));
      });
      return acc;
    });
    const Tensor got = evaluate_graph({x, init}, [&](GraphBuilder& graph, const Values& args) {
      OpSpec spec{.kind = OpKind::ReduceWindow, .operands = args};
      set_windows(spec, windows, random);
      const Type type = Type::tensor({}, element);
      const std::vector<Type> types = {type, type};
      spec.regions.push_back(graph.region(
          types,
          [&](std::span<const ValueId> in_region) {
            return Values{reducer.body(graph, in_region[0], in_region[1])};
          },
          OpKind::StablehloReturn));
      return graph.op(std::move(spec));
    })[0];
    if (Grid(got).values == expected.values && Grid(got).dims == expected.dims) continue;
    FAIL("round " << round << " " << reducer.name << to_string(x) << to_string(got)
                  << Catch::StringMaker<Dims>::convert(windows.sizes)
                  << Catch::StringMaker<Dims>::convert(windows.low)
                  << Catch::StringMaker<Dims>::convert(windows.high));
  }
}

TEST_CASE("reduce_window of several operands reduces them together",
          "[simulation][reduce_window]") {
  // The largest of each window and where it is; of equal ones the first.
  const Tensor x = tensor(ElementType::F32, {5}, {1, 4, 4, 2, 5});
  const Tensors got = evaluate_graph({x}, [&](GraphBuilder& graph, const Values& args) {
    const ValueId places = graph.iota(Type::tensor({5}, ElementType::I32), 0);
    const ValueId low = graph.splat(Type::tensor({}, ElementType::F32), -9);
    const ValueId none = graph.int_splat(Type::tensor({}, ElementType::I32), -1);
    OpSpec spec{.kind = OpKind::ReduceWindow, .operands = {args[0], places, low, none}};
    spec.attributes.set("window_dimensions", DenseArrayAttr{ElementType::I64, {3}});
    const Type f = Type::tensor({}, ElementType::F32);
    const Type i = Type::tensor({}, ElementType::I32);
    const std::vector<Type> types = {f, i, f, i};
    spec.regions.push_back(graph.region(
        types,
        [&](std::span<const ValueId> in) {
          const ValueId keeps = graph.compare(in[0], in[2], "GE");
          return Values{graph.select(keeps, in[0], in[2]), graph.select(keeps, in[1], in[3])};
        },
        OpKind::StablehloReturn));
    return graph.op(std::move(spec));
  });
  CHECK(got[0] == vector_of(ElementType::F32, {4, 4, 5}));
  CHECK(got[1] == vector_of(ElementType::I32, {1, 1, 4}));
}

TEST_CASE("reduce_window rounds each step in the type of its region",
          "[simulation][reduce_window]") {
  const auto window_sum = [](const Tensor& x, double start, ElementType region) {
    return evaluate_graph({x, scalar(x.type().element(), start)}, [&](GraphBuilder& graph,
                                                                      const Values& args) {
      OpSpec spec{.kind = OpKind::ReduceWindow, .operands = args};
      spec.attributes.set("window_dimensions", DenseArrayAttr{ElementType::I64, {x.type().dim(0)}});
      const std::vector<Type> types(2, Type::tensor({}, region));
      spec.regions.push_back(graph.region(
          types, [&](std::span<const ValueId> in) { return Values{graph.add(in[0], in[1])}; },
          OpKind::StablehloReturn));
      return graph.op(std::move(spec));
    })[0];
  };
  CHECK(window_sum(vector_of(ElementType::F16, {1, 1}), 2048, ElementType::F16) ==
        vector_of(ElementType::F16, {2048}));
  CHECK(window_sum(vector_of(ElementType::F16, {1, 1}), 2048, ElementType::F32) ==
        vector_of(ElementType::F32, {2050}));
}

// ---- select_and_scatter
// --------------------------------------------------------------------------

bool selects(const std::string& direction, double selected, double current) {
  if (direction == "GE") return selected >= current;
  if (direction == "GT") return selected > current;
  return selected <= current;
}

/// Position of the selection of each window, in x.
std::optional<Dims> selection(const Grid& x, const Windows& windows, const Dims& window,
                              const std::string& direction) {
  std::optional<Dims> selected;
  for_each_index(windows.sizes, [&](const Dims& position) {
    Dims at = sum(times(window, windows.strides), position);
    for (std::size_t dim = 0; dim < at.size(); ++dim) {
      at[dim] -= windows.low[dim];
      if (at[dim] < 0 || at[dim] >= x.dims[dim]) return;
    }
    if (!selected || !selects(direction, x.at(*selected), x.at(at))) selected = at;
  });
  return selected;
}

TEST_CASE("select_and_scatter adds each source element to the selected element of its window",
          "[simulation][select_and_scatter][random]") {
  Random random;
  for (int round = 0; round < 3000; ++round) {
    const Dims sizes = random_shape(random);
    const Windows windows = random_windows(random, sizes, false);
    const Reducer& reducer = random.pick(kReducers);
    const std::string direction = random.pick(std::vector<std::string>{"GE", "GT", "LE"});
    const ElementType element = random.pick(kElements);
    const Tensor x = random.numbers(element, sizes, -3, 3);
    const Tensor source = random.numbers(element, windows.counts(sizes));
    const Tensor init = random.numbers(element, {}, -2, 2);
    const double start = init.to_doubles()[0];
    Grid expected = grid_of(sizes, [&](const Dims&) { return start; });
    const Grid in(x);
    const Grid sources(source);
    for_each_index(sources.dims, [&](const Dims& window) {
      const auto at = selection(in, windows, window, direction);
      if (!at) return;
      const double first = reducer.apply(start, sources.at(window));
      expected.at(*at) = reducer.apply(first, expected.at(*at));
    });
    const Tensor got =
        evaluate_graph({x, source, init}, [&](GraphBuilder& graph, const Values& args) {
          OpSpec spec{.kind = OpKind::SelectAndScatter, .operands = args};
          set_windows(spec, windows, random);
          const std::vector<Type> types(2, Type::tensor({}, element));
          spec.regions.push_back(graph.region(
              types,
              [&](std::span<const ValueId> both) {
                return Values{graph.compare(both[0], both[1], direction)};
              },
              OpKind::StablehloReturn));
          spec.regions.push_back(graph.region(
              types,
              [&](std::span<const ValueId> both) {
                return Values{reducer.body(graph, both[0], both[1])};
              },
              OpKind::StablehloReturn));
          return graph.op(std::move(spec));
        })[0];
    if (Grid(got).values == expected.values) continue;
    FAIL("round " << round << " " << reducer.name << direction << to_string(x) << to_string(source)
                  << to_string(got) << Catch::StringMaker<Dims>::convert(windows.sizes)
                  << Catch::StringMaker<Dims>::convert(windows.low));
  }
}

// ---- map
// -----------------------------------------------------------------------------------------

TEST_CASE("map applies its region to each element", "[simulation][map]") {
  const auto map = [](const Tensors& inputs, const GraphBuilder::Body& body,
                      const std::function<void(GraphBuilder&)>& begin) {
    return evaluate_graph(inputs, [&](GraphBuilder& graph, const Values& args) {
      begin(graph);
      OpSpec spec{.kind = OpKind::Map, .operands = args};
      const Dims dims(inputs[0].type().dims().begin(), inputs[0].type().dims().end());
      Dims all(dims.size());
      std::iota(all.begin(), all.end(), 0);
      spec.attributes.set("dimensions", DenseArrayAttr{ElementType::I64, all});
      std::vector<Type> types;
      for (const Tensor& input : inputs) types.push_back(Type::tensor({}, input.type().element()));
      spec.regions.push_back(graph.region(types, body, OpKind::StablehloReturn));
      return graph.op(std::move(spec));
    })[0];
  };
  GraphBuilder* builder = nullptr;
  const auto begin = [&](GraphBuilder& graph) { builder = &graph; };
  const auto less_or_sum = [&](std::span<const ValueId> in) {
    const ValueId sum_of_both = builder->add(in[0], in[1]);
    return Values{builder->compare(sum_of_both, in[0], "LT")};
  };
  CHECK(map({tensor(ElementType::I32, {2, 2}, {1, 2, 3, 4}),
             tensor(ElementType::I32, {2, 2}, {-1, 0, 1, -2})},
            less_or_sum, begin) == tensor(ElementType::I1, {2, 2}, {1, 0, 0, 1}));
  const auto by_case = [&](std::span<const ValueId> in) {
    const ValueId positive = builder->compare(in[0], in[1], "GT");
    return builder->if_else(
        positive, [&] { return Values{in[0]}; }, [&] { return Values{builder->negate(in[0])}; });
  };
  CHECK(map({vector_of(ElementType::F32, {1, -2, 3}), vector_of(ElementType::F32, {0, 0, 5})},
            by_case, begin) == vector_of(ElementType::F32, {1, 2, -3}));
  CHECK(map({tensor(ElementType::I32, {0, 2}, {}), tensor(ElementType::I32, {0, 2}, {})},
            less_or_sum, begin)
            .num_elements() == 0);
}

}  // namespace
}  // namespace shardy_test::window_test
