// Random names, types, literals, shardings and attributes.
#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <shardy/ir/attribute.hpp>
#include <string>
#include <vector>

namespace shardy::text::testing {

class Random {
 public:
  explicit Random(uint64_t seed, bool writable = false) : engine_(seed), writable_(writable) {}

  /// Only what has a notation in MLIR text: no foreign attributes of unbalanced brackets.
  bool writable() const { return writable_; }

  uint64_t bits() { return engine_(); }
  /// Uniform in [0, bound).
  std::size_t below(std::size_t bound) {
    return std::uniform_int_distribution<std::size_t>(0, bound - 1)(engine_);
  }
  int64_t between(int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(engine_);
  }
  bool chance(std::size_t percent) { return below(100) < percent; }
  template <class Range>
  const auto& pick(const Range& range) {
    return range[below(std::size(range))];
  }
  template <class T>
  void shuffle(std::vector<T>& values) {
    for (std::size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[below(i)]);
  }
  /// Up to `most` of what `make()` gives.
  template <class Function>
  auto several(std::size_t most, Function make) {
    std::vector<decltype(make())> values(below(most + 1));
    for (auto& value : values) value = make();
    return values;
  }

 private:
  std::mt19937_64 engine_;
  bool writable_;
};

struct RandomMesh {
  std::string name;
  Mesh mesh;
};

/// Any bytes but few; among them what a notation may trip over.
std::string random_text(Random& random);
int64_t random_integer(Random& random);
ir::ElementType random_element(Random& random);
ir::Type random_tensor(Random& random, bool is_static);
/// An attribute of a foreign op.
ir::Type random_type(Random& random, int depth = 2);
ir::Literal random_literal(Random& random, const ir::Type& type);
Mesh random_mesh(Random& random);
/// Valid for a tensor of that rank.
UnresolvedSharding random_sharding(Random& random, const RandomMesh& mesh, std::size_t rank);
/// An attribute of any form; the meshes are those of the module.
ir::Attribute random_attribute(Random& random, const std::vector<RandomMesh>& meshes,
                               int depth = 2);
ir::AttributeMap random_attributes(Random& random, const std::vector<RandomMesh>& meshes,
                                   int depth = 2);

}  // namespace shardy::text::testing
