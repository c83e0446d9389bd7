// Large meshes and ranks at random: up to 6 axes, 2^40 devices and 5 dims.
#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <random>
#include <shardy/algebra/detail/reshape_groups.hpp>
#include <shardy/algebra/hlo_conversion.hpp>
#include <shardy/algebra/hlo_sharding.hpp>
#include <shardy/algebra/shard_layout.hpp>
#include <shardy/algebra/text.hpp>
#include <shardy/algebra/unresolved.hpp>
#include <string>
#include <vector>

#include "support/catch.hpp"

namespace shardy::random_laws_test {
namespace {

using shardy_test::message_of;
using Ints = std::vector<int64_t>;

constexpr int kRounds = 2000;
constexpr int64_t kMostDevices = int64_t{1} << 40;
constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

/// Random values; all that is random comes from here.
class Source {
 public:
  Source() : random_(Catch::rngSeed()) {}

  int64_t below(int64_t limit) {
    return std::uniform_int_distribution<int64_t>(0, limit - 1)(random_);
  }
  bool coin() { return below(2) == 0; }

  /// Up to 6 axes with small prime factors, up to 2^40 devices.
  Mesh mesh() {
    const std::vector<std::string> names = {"m", "z", "a", "q", "b", "x y"};
    std::vector<MeshAxis> axes;
    int64_t devices = 1;
    const int64_t num_axes = 1 + below(6);
    for (int64_t i = 0; i < num_axes; ++i) {
      int64_t size = 1;
      for (int64_t factors = below(14); factors > 0; --factors) {
        const int64_t prime = Ints{2, 2, 2, 3, 5, 7}[static_cast<std::size_t>(below(6))];
        if (devices <= kMostDevices / size / prime) size *= prime;
      }
      axes.push_back({names[static_cast<std::size_t>(i)], size});
      devices *= size;
    }
    return Mesh::make(std::move(axes)).value();
  }

  /// Splits the axes of `mesh` into parts, and shuffles these.
  AxisList parts(const Mesh& mesh) {
    AxisList all;
    for (int32_t axis = 0; axis < mesh.num_axes(); ++axis) {
      const int64_t n = mesh.axis_size(axis);
      int64_t pre = 1;
      int64_t size = 1;
      for (int64_t prime : {2, 3, 5, 7}) {
        while (n / pre / size % prime == 0) {
          size *= prime;
          if (below(4) != 0) continue;
          all.push_back({axis, pre, size});
          pre *= size;
          size = 1;
        }
      }
      if (size > 1) all.push_back({axis, pre, size});
    }
    std::shuffle(all.begin(), all.end(), random_);
    return all;
  }

  /// Deals some of the parts to up to 5 dims and to the replicated and unreduced axes.
  TensorSharding sharding(const Mesh& mesh) {
    std::vector<DimSharding> dims(static_cast<std::size_t>(below(6)));
    AxisList replicated;
    AxisList unreduced;
    for (const AxisRef& part : parts(mesh)) {
      const auto place = static_cast<std::size_t>(below(static_cast<int64_t>(dims.size()) + 4));
      if (place < dims.size()) append_or_merge(dims[place].axes, part);
      if (place == dims.size()) replicated.push_back(part);
      if (place == dims.size() + 1) unreduced.push_back(part);
    }
    for (DimSharding& dim : dims) {
      dim.is_closed = coin();
      const bool may_have_priority = !dim.is_closed || !dim.empty();
      if (may_have_priority && coin()) dim.priority = below(kMax);
    }
    const auto op = static_cast<ReductionOp>(below(3));
    return TensorSharding::make(mesh, coin() ? std::optional<std::string>("m") : std::nullopt,
                                std::move(dims), sort_and_merge(replicated),
                                sort_and_merge(unreduced), op)
        .value();
  }

  Ints shape(std::size_t rank) {
    Ints sizes;
    for (std::size_t i = 0; i < rank; ++i) sizes.push_back(below(int64_t{1} << below(63)));
    return sizes;
  }

 private:
  std::mt19937_64 random_;
};

template <class Check>
void for_random_shardings(Check check) {
  Source source;
  for (int round = 0; round < kRounds; ++round) {
    const Mesh mesh = source.mesh();
    const TensorSharding sharding = source.sharding(mesh);
    CAPTURE(Catch::rngSeed(), round, to_string(mesh), sharding);
    check(sharding, source);
  }
}

TEST_CASE("the text of large shardings reads back", "[text][random]") {
  for_random_shardings([](const TensorSharding& s, Source&) {
    CHECK(parse_mesh(to_string(s.mesh())) == s.mesh());
    const Result<UnresolvedSharding> unresolved = parse_sharding(to_string(s));
    REQUIRE(message_of(unresolved) == "(no error)");
    CHECK(*unresolved == spell(s));
    CHECK(resolve(*unresolved, s.mesh()) == s);
    CHECK(std::hash<TensorSharding>{}(*resolve(*unresolved, s.mesh())) ==
          std::hash<TensorSharding>{}(s));
  });
}

TEST_CASE("the order of shardings is total over all meshes", "[tensor_sharding][random]") {
  Source source;
  std::vector<TensorSharding> all;
  for (int i = 0; i < 100; ++i) {
    const Mesh mesh = source.mesh();
    for (int j = 0; j < 3; ++j) all.push_back(source.sharding(mesh));
  }
  CAPTURE(Catch::rngSeed());
  std::ranges::sort(all);
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t j = i; j < all.size(); ++j) {
      const bool is_same = to_string(all[i]) == to_string(all[j]) &&
                           all[i].mesh() == all[j].mesh() &&
                           all[i].mesh_name() == all[j].mesh_name();
      CHECK((all[i] == all[j]) == is_same);
      CHECK((all[i] < all[j]) != (all[j] <= all[i]));
      CHECK_FALSE(all[j] < all[i]);
    }
  }
}

__extension__ using Wide = __int128;  // for the model only

TEST_CASE("large local shapes are the smallest that cover the global shape",
          "[tensor_sharding][random]") {
  for_random_shardings([](const TensorSharding& s, Source& source) {
    const Ints shape = source.shape(s.rank());
    const Ints local = s.local_shape(shape);
    const auto global = s.global_shape(local);
    bool fits = true;
    bool is_even = true;
    for (std::size_t i = 0; i < shape.size(); ++i) {
      const Wide shards = s.dim(i).sharded_size();
      const Wide whole = local[i] * shards;
      CHECK(whole >= shape[i]);
      CHECK(whole - shards < shape[i]);
      fits = fits && whole <= kMax;
      is_even = is_even && whole == shape[i];
      if (global) CHECK((*global)[i] == whole);
    }
    CHECK(global.has_value() == fits);
    CHECK(s.evenly_divided_shape(shape).has_value() == is_even);
  });
}

TEST_CASE("adjacent shards of large tensors leave no gap and do not overlap",
          "[shard_layout][random]") {
  for_random_shardings([](const TensorSharding& s, Source& source) {
    const Ints shape = source.shape(s.rank());
    const int64_t position = source.below(s.mesh().num_devices());
    const Ints indices = shard_indices(s, position);
    const std::vector<Range> slice = device_slice(s, shape, position);
    for (std::size_t i = 0; i < shape.size(); ++i) {
      const int64_t shards = s.dim(i).sharded_size();
      CHECK(indices[i] >= 0);
      CHECK(indices[i] < shards);
      CHECK(slice[i].size() <= s.local_shape(shape)[i]);
      if (indices[i] == 0) CHECK(slice[i].begin == 0);
      if (indices[i] == shards - 1) CHECK(slice[i].end == shape[i]);
      if (indices[i] + 1 == shards) continue;
      CHECK(valid_range(shape[i], shards, indices[i] + 1).begin == slice[i].end);
    }
  });
}

TEST_CASE("devices of a shard have its index, and their number is devices over shards",
          "[shard_layout][random]") {
  for_random_shardings([](const TensorSharding& s, Source& source) {
    const int64_t copies = s.mesh().num_devices() / sharding_size(s.dim_axes());
    if (copies > 64) return;
    const int64_t position = source.below(s.mesh().num_devices());
    const Ints indices = shard_indices(s, position);
    const Ints devices = devices_of_shard(s, indices);
    CHECK(static_cast<int64_t>(devices.size()) == copies);
    CHECK(std::ranges::find(devices, position) != devices.end());
    for (const int64_t device : devices) CHECK(shard_indices(s, device) == indices);
  });
}

TEST_CASE("large shardings come back from their GSPMD export", "[hlo][random]") {
  for_random_shardings([](const TensorSharding& s, Source&) {
    const TensorSharding plain = s.closed_like().with_unreduced({});
    const HloSharding hlo = export_hlo(plain).value();
    CHECK(parse_hlo_sharding(to_string(hlo)) == hlo);
    const Result<HloLayout> back = import_hlo_onto(hlo, s.rank(), s.mesh_ref());
    REQUIRE(message_of(back) == "(no error)");
    std::vector<DimSharding> closed;
    for (const DimSharding& dim : plain.dims()) closed.push_back(dim.drop_priority());
    CHECK(back->sharding == plain.with_dims(closed));
    if (hlo.kind() != HloSharding::Kind::Tiled) return;
    const Result<HloLayout> alone = import_hlo(hlo, s.rank());
    REQUIRE(message_of(alone) == "(no error)");
    CHECK(export_hlo(alone->sharding) == hlo);
  });
}

TEST_CASE("a list minus itself is empty, and sub-axes of a mesh merge to its axes",
          "[axis_list][random]") {
  Source source;
  for (int round = 0; round < kRounds; ++round) {
    const Mesh mesh = source.mesh();
    const AxisList parts = source.parts(mesh);
    CAPTURE(Catch::rngSeed(), round, to_string(mesh, parts));
    AxisList full;
    for (int32_t axis = 0; axis < mesh.num_axes(); ++axis) {
      if (mesh.axis_size(axis) > 1) full.push_back(mesh.full_axis(axis));
    }
    CHECK(sort_and_merge(parts) == full);
    CHECK(set_difference(full, parts).empty());
    CHECK(sort_and_merge(intersection(full, parts)) == full);
    const auto middle = parts.begin() + static_cast<std::ptrdiff_t>(parts.size() / 2);
    const AxisList left(parts.begin(), middle);
    const AxisList right(middle, parts.end());
    CHECK(sort_and_merge(set_difference(full, left)) == sort_and_merge(right));
    CHECK_FALSE(overlaps(left, right));
  }
}

TEST_CASE("a mesh of too many devices is an error, never a wrong device count", "[mesh][random]") {
  Source source;
  for (int round = 0; round < kRounds; ++round) {
    std::vector<MeshAxis> axes;
    Wide devices = 1;
    for (int i = 0; i < 3; ++i) {
      axes.push_back({std::string(1, static_cast<char>('a' + i)),
                      1 + source.below(int64_t{1} << source.below(40))});
      devices *= axes.back().size;
    }
    const Result<Mesh> mesh = Mesh::make(axes);
    CAPTURE(Catch::rngSeed(), round);
    if (devices <= kMax) {
      REQUIRE(mesh);
      CHECK(mesh->num_devices() == devices);
    } else {
      CHECK(message_of(mesh) == "total product of axis sizes doesn't fit in 64 bits");
    }
  }
}

TEST_CASE("any two numbers make a valid sub-axis or an error", "[resolve][random]") {
  Source source;
  for (int round = 0; round < kRounds; ++round) {
    const Mesh mesh = source.mesh();
    const int64_t pre = source.below(int64_t{1} << source.below(63)) - 1;
    const int64_t size = source.below(int64_t{1} << source.below(63)) - 1;
    const UnresolvedAxisRef ref{mesh.axis_name(0), SubAxis{pre, size}};
    const bool is_valid = pre >= 1 && size > 1 && size != mesh.axis_size(0) &&
                          Wide{pre} * size <= mesh.axis_size(0) &&
                          mesh.axis_size(0) % (pre * size) == 0;
    CAPTURE(Catch::rngSeed(), round, ref, to_string(mesh));
    CHECK(resolve_axis_list({ref}, mesh).has_value() == is_valid);
  }
}

}  // namespace
}  // namespace shardy::random_laws_test
