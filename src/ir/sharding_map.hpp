// A table of values by sharding, which finds a sharding object that it has seen by its address.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "shardy/algebra/tensor_sharding.hpp"
#include "shardy/support/detail/hash.hpp"

namespace shardy::ir {

/// A value of type V for each distinct sharding. Most values of a program share few sharding
/// objects. An object that was looked up before is found by its address, without a hash of its
/// content. The table keeps these objects, so that no other sharding gets their address.
template <class V>
class ShardingMap {
 public:
  /// Returns the value of `sharding`; null if the table has none.
  V* find(const TensorSharding& sharding) {
    const auto same = by_address_.find(&sharding.mesh_ref());
    if (same != by_address_.end()) return same->second.value;
    const auto equal = by_content_.find(sharding);
    if (equal == by_content_.end()) return nullptr;
    by_address_.emplace(&sharding.mesh_ref(), Known{sharding, &equal->second});
    return &equal->second;
  }

  /// Adds a value. Requires: find(sharding) is null. References to values stay valid.
  V& add(const TensorSharding& sharding, V value) {
    V& added = by_content_.emplace(sharding, std::move(value)).first->second;
    by_address_.emplace(&sharding.mesh_ref(), Known{sharding, &added});
    return added;
  }

 private:
  struct Known {
    TensorSharding sharding;
    V* value;
  };
  /// A hash of the dims and the mesh name. These distinguish most shardings, and a hash of the mesh
  /// would cost more.
  struct ShortHash {
    std::size_t operator()(const TensorSharding& sharding) const {
      const std::optional<std::string>& mesh = sharding.mesh_name();
      return hash_combine(hash_range(sharding.dims()),
                          mesh ? hash_of(*mesh) : hash_range(sharding.mesh().axes()));
    }
  };

  std::unordered_map<TensorSharding, V, ShortHash> by_content_;  // never iterated
  std::unordered_map<const MeshRef*, Known> by_address_;         // never iterated
};

}  // namespace shardy::ir
