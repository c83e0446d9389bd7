// Compares all shardings of rank 1 and 2, on all meshes of up to 12 devices, with a model that
// counts.
#include <algorithm>
#include <cstdint>
#include <map>
#include <shardy/algebra/detail/equivalence.hpp>
#include <shardy/algebra/shard_layout.hpp>
#include <shardy/algebra/text.hpp>
#include <shardy/algebra/unresolved.hpp>
#include <utility>
#include <vector>

#include "algebra/comparison.hpp"
#include "algebra/small_spaces.hpp"
#include "support/catch.hpp"

namespace shardy::sharding_laws_test {
namespace {

using shardy_test::Comparison;
using shardy_test::fit_together;
using Ints = std::vector<int64_t>;

constexpr int64_t kMostDevices = 12;

// In the model, a device is its list of coordinates, one per axis. Everything else is counted from
// the coordinates.
using Device = Ints;

/// Returns all devices in the order of their positions; the last axis varies fastest.
std::vector<Device> all_devices(const Ints& sizes) {
  std::vector<Device> devices = {{}};
  for (const int64_t size : sizes) {
    std::vector<Device> longer;
    for (const Device& device : devices) {
      for (int64_t step = 0; step < size; ++step) {
        longer.push_back(device);
        longer.back().push_back(step);
      }
    }
    devices = std::move(longer);
  }
  return devices;
}

/// Returns the coordinate along a sub-axis for each coordinate along its axis of size n.
Ints steps_along(const AxisRef& ref, int64_t n) {
  Ints steps;
  while (static_cast<int64_t>(steps.size()) < n) {
    for (int64_t own = 0; own < ref.size; ++own) {
      for (int64_t i = 0; i < n / ref.pre / ref.size; ++i) steps.push_back(own);
    }
  }
  return steps;
}

/// A list of axes, and the index of the shard that each device has along the list.
struct ModelList {
  AxisList axes;
  Ints shard;
  int64_t num_shards = 1;

  ModelList(AxisList list, const Ints& sizes, const std::vector<Device>& devices)
      : axes(std::move(list)), shard(devices.size(), 0) {
    for (const AxisRef& ref : axes) {
      const auto axis = static_cast<std::size_t>(ref.axis);
      const Ints steps = steps_along(ref, sizes[axis]);
      for (std::size_t i = 0; i < devices.size(); ++i) {
        shard[i] = shard[i] * ref.size + steps[static_cast<std::size_t>(devices[i][axis])];
      }
      num_shards *= ref.size;
    }
  }
};

/// Splits `dim` elements into shards of equal size; the last ones may be smaller or empty.
std::vector<Range> deal_out(int64_t dim, int64_t shards) {
  int64_t each = 0;
  while (each * shards < dim) ++each;
  std::vector<Range> ranges;
  for (int64_t shard = 0; shard < shards; ++shard) {
    const int64_t begin = ranges.empty() ? 0 : ranges.back().end;
    ranges.push_back({begin, std::min(begin + each, dim)});
  }
  return ranges;
}

/// A sharding of the library, and its model.
struct ModelSharding {
  TensorSharding sharding;
  std::vector<const ModelList*> dims;
};

/// All shardings of one mesh.
class Space {
 public:
  explicit Space(const Ints& sizes)
      : mesh(shardy_test::mesh_of_sizes(sizes)), devices_(all_devices(sizes)) {
    for (AxisList& list : shardy_test::axis_lists(mesh)) {
      lists_.emplace_back(std::move(list), sizes, devices_);
    }
  }

  /// Calls `visit(model)` with each sharding without replicated axes.
  template <class Visit>
  void for_each_plain(std::size_t rank, Visit visit) const {
    for (const ModelList& first : lists_) {
      for (const ModelList& second : lists_) {
        if (rank == 1 && !second.axes.empty()) continue;
        if (!fit_together(first.axes, second.axes)) continue;
        std::vector<const ModelList*> dims = {&first};
        std::vector<AxisList> axes = {first.axes};
        if (rank == 2) {
          dims.push_back(&second);
          axes.push_back(second.axes);
        }
        visit(ModelSharding{TensorSharding::closed({mesh, "m"}, std::move(axes)), dims});
      }
    }
  }

  /// Calls `visit(model)` with each sharding, with each set of replicated axes or none.
  template <class Visit>
  void for_each(std::size_t rank, Visit visit) const {
    for_each_plain(rank, [&](const ModelSharding& plain) {
      const AxisList used = plain.sharding.dim_axes();
      for (const ModelList& replicated : lists_) {
        if (!std::ranges::is_sorted(replicated.axes)) continue;
        if (!fit_together(used, replicated.axes)) continue;
        visit(ModelSharding{plain.sharding.with_replicated(replicated.axes), plain.dims});
      }
    });
  }

  std::size_t num_devices() const { return devices_.size(); }

  Mesh mesh;

 private:
  std::vector<Device> devices_;
  std::vector<ModelList> lists_;
};

template <class Visit>
void for_each_space(Visit visit) {
  for (const Ints& sizes : shardy_test::mesh_sizes(kMostDevices)) visit(Space(sizes));
}

/// Checks that each device has the elements of the model, in a buffer of the size of the first
/// shard.
void compare_layout(const ModelSharding& model, const Ints& shape, std::size_t num_devices,
                    Comparison& comparison) {
  const TensorSharding& s = model.sharding;
  std::vector<std::vector<Range>> ranges;
  Ints local;
  Ints global;
  bool is_even = true;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    ranges.push_back(deal_out(shape[i], model.dims[i]->num_shards));
    local.push_back(ranges[i].front().size());
    global.push_back(local[i] * model.dims[i]->num_shards);
    is_even = is_even && ranges[i].back().size() == local[i];
  }
  for (std::size_t position = 0; position < num_devices; ++position) {
    std::vector<Range> slice;
    for (std::size_t i = 0; i < shape.size(); ++i) {
      slice.push_back(ranges[i][static_cast<std::size_t>(model.dims[i]->shard[position])]);
    }
    comparison.same("slice", device_slice(s, shape, static_cast<int64_t>(position)) == slice, true,
                    s);
  }
  comparison.same("local_shape", s.local_shape(shape), local, s);
  comparison.same("global_shape", s.global_shape(local) == global, true, s);
  comparison.same("evenly_divided_shape", s.evenly_divided_shape(shape).has_value(), is_even, s);
}

TEST_CASE("device_slice equals a direct count for all shardings of up to 12 devices",
          "[shard_layout][law][exhaustive]") {
  Comparison comparison;
  int64_t num_shardings = 0;
  std::vector<std::vector<Ints>> shapes(2);
  for (int64_t rows = 0; rows <= 2 * kMostDevices + 1; ++rows) shapes[0].push_back({rows});
  for (const int64_t rows : {0, 1, 2, 3, 5, 6, 7, 8, 12, 13}) {
    for (const int64_t columns : {0, 1, 2, 4, 6, 9, 11, 12}) shapes[1].push_back({rows, columns});
  }
  for_each_space([&](const Space& space) {
    for (const std::size_t rank : {std::size_t{1}, std::size_t{2}}) {
      space.for_each(rank, [&](const ModelSharding& model) {
        ++num_shardings;
        for (const Ints& shape : shapes[rank - 1]) {
          compare_layout(model, shape, space.num_devices(), comparison);
        }
      });
    }
  });
  WARN(num_shardings << " shardings, " << comparison.count() << " comparisons");
  CHECK(num_shardings == 2325);
  CHECK(comparison.count() > 1000000);
}

TEST_CASE("text reads back for all shardings of up to 12 devices", "[text][law][exhaustive]") {
  Comparison comparison;
  for_each_space([&](const Space& space) {
    for (const std::size_t rank : {std::size_t{1}, std::size_t{2}}) {
      space.for_each(rank, [&](const ModelSharding& model) {
        const TensorSharding& s = model.sharding;
        const Result<UnresolvedSharding> spelled = parse_sharding(to_string(s));
        comparison.same("text", spelled && resolve(*spelled, space.mesh) == s, true, s);
        comparison.same("spelled text", spelled && to_string(*spelled) == to_string(s), true, s);
      });
    }
  });
  WARN(comparison.count() << " comparisons");
  CHECK(comparison.count() > 1000);
}

TEST_CASE("devices_of_shard lists the devices of each shard, for all shardings of up to 12 devices",
          "[shard_layout][law][exhaustive]") {
  Comparison comparison;
  for_each_space([&](const Space& space) {
    space.for_each_plain(2, [&](const ModelSharding& model) {
      std::map<std::pair<int64_t, int64_t>, Ints> holders;
      for (std::size_t position = 0; position < space.num_devices(); ++position) {
        holders[{model.dims[0]->shard[position], model.dims[1]->shard[position]}].push_back(
            static_cast<int64_t>(position));
      }
      for (auto& [shard, devices] : holders) {
        const Ints found = devices_of_shard(model.sharding, Ints{shard.first, shard.second});
        comparison.same("devices_of_shard", found, devices, model.sharding);
      }
    });
  });
  WARN(comparison.count() << " comparisons");
  CHECK(comparison.count() > 1000);
}

TEST_CASE("shardings are equivalent iff each device has the same slice",
          "[equivalence][law][exhaustive]") {
  Comparison comparison;
  for_each_space([&](const Space& space) {
    for (const std::size_t rank : {std::size_t{1}, std::size_t{2}}) {
      std::vector<ModelSharding> all;
      space.for_each_plain(rank, [&](const ModelSharding& model) { all.push_back(model); });
      const auto same_shards = [](const ModelSharding& a, const ModelSharding& b) {
        return std::ranges::equal(a.dims, b.dims, {}, &ModelList::shard, &ModelList::shard);
      };
      for (const ModelSharding& a : all) {
        for (const ModelSharding& b : all) {
          comparison.same("is_equivalent", is_equivalent(a.sharding, b.sharding), same_shards(a, b),
                          a.sharding);
        }
      }
      space.for_each(rank, [&](const ModelSharding& model) {
        const TensorSharding open = model.sharding.open_like();
        comparison.same("is_equivalent", is_equivalent(open, open.closed_like()), true, open);
      });
    }
  });
  WARN(comparison.count() << " comparisons");
  CHECK(comparison.count() > 1000);
}

TEST_CASE("the devices of an element are those whose slice contains it", "[shard_layout]") {
  const Mesh mesh = shardy_test::mesh_of_sizes({2, 3, 2}, {11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0});
  const TensorSharding s =
      TensorSharding::closed({mesh, "m"}, {{mesh.full_axis(1)}, {mesh.full_axis(2)}});
  const Ints shape = {5, 3};
  for (int64_t row = 0; row < shape[0]; ++row) {
    for (int64_t column = 0; column < shape[1]; ++column) {
      Ints expected;
      for (int64_t position = 0; position < mesh.num_devices(); ++position) {
        const auto slice = device_slice(s, shape, position);
        const bool has_row = slice[0].begin <= row && row < slice[0].end;
        if (has_row && slice[1].begin <= column && column < slice[1].end) {
          expected.push_back(mesh.device_at(position));
        }
      }
      CAPTURE(row, column);
      CHECK(devices_holding(s, shape, Ints{row, column}) == expected);
    }
  }
  const TensorSharding maximal = TensorSharding::fully_closed(*Mesh::maximal(7), "d", 0);
  CHECK(devices_holding(maximal, shape, Ints{4, 2}) == Ints{7});
}

}  // namespace
}  // namespace shardy::sharding_laws_test
