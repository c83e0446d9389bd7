// Shardings of foreign texts on one common mesh of the module. Spec: interop 2, 5.1 to 5.4, 6.4.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "passes/interop/sharding_attributes.hpp"
#include "shardy/algebra/hlo_leaves.hpp"
#include "shardy/algebra/tensor_sharding.hpp"
#include "shardy/ir/module.hpp"
#include "shardy/passes/interop.hpp"

namespace shardy::passes {

/// Sharding of one leaf.
struct LeafSharding {
  TensorSharding sharding;
  std::vector<std::string> manual;  // in mesh order
  std::optional<HloShardGroup> group;
  bool is_unknown = false;  // no sharding is known
};

/// A reader that collects the texts of all places, finds their common mesh and converts texts to
/// shardings.
class LeafReader {
 public:
  explicit LeafReader(ir::Module& module) : module_(module) {}

  /// Reads all `mhlo.sharding` texts. Errors: invalid text; not one leaf per value.
  Status collect();
  /// Chooses the mesh and inserts it into the module, with maximal meshes. `mesh_wanted`: also if
  /// no text has axes. Errors: no mesh fits all texts.
  Status choose_mesh();

  bool found_any() const { return num_texts_ > 0; }
  bool found_named() const { return found_named_; }
  /// Returns the mesh of shardings with device arrays; std::nullopt without texts.
  const std::optional<MeshRef>& mesh() const { return mesh_; }

  /// Returns the leaves of a place, one per value; std::nullopt without text. Errors: as collect.
  Result<std::optional<std::vector<HloLeaf>>> leaves_at(const AttributePlace& place);
  /// Returns the sharding of a leaf for a value of that type. Errors: it does not fit the type.
  Result<LeafSharding> read(const AttributePlace& place, const HloLeaf& leaf,
                            const ir::Type& type) const;

  static bool is_replicated(const HloLeaf& leaf);

 private:
  Result<const HloLeaves*> parse(const AttributePlace& place, const std::string& text);
  void note_leaf(const AttributePlace& place, const HloLeaf& leaf);
  Status check_counts() const;
  Status find_mesh();
  std::optional<MeshRef> declared_mesh() const;
  void add_mesh(const Mesh& mesh);
  void add_maximal_meshes();
  Result<LeafSharding> read_devices(const HloSharding& hlo, const ir::Type& type) const;
  Result<LeafSharding> read_named(const NamedHloSharding& named, const ir::Type& type) const;
  MeshRef maximal(int64_t device) const;
  void find_partitions();
  bool is_only_device(int64_t device) const { return has_one_partition_ && device == 0; }

  ir::Module& module_;
  std::unordered_map<std::string, HloLeaves> parsed_;
  std::size_t num_texts_ = 0;
  bool found_named_ = false;
  int64_t num_named_devices_ = 0;             // of the largest named mesh or the highest device id
  std::vector<DeviceArray> arrays_;           // distinct, in text order
  std::vector<AttributePlace> array_places_;  // first place of each array
  std::map<int64_t, std::string> single_;     // device of each maximal leaf, and its mesh
  bool has_one_partition_ = false;            // all values are on device 0
  std::optional<MeshRef> mesh_;
};

}  // namespace shardy::passes
