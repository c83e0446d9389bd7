// Shardings of foreign text, on the one mesh of a module.
// Spec: interop 2, 5.1 to 5.4, 6.4.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "passes/interop/carriers.hpp"
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
  bool is_unknown = false;  // places no data
};

/// Reads the texts of all places, finds the mesh that they have in common, and then says what they
/// mean.
class LeafReader {
 public:
  explicit LeafReader(ir::Module& module) : module_(module) {}

  /// Reads all `mhlo.sharding`. Errors: what no text of a sharding is; not one leaf per value.
  Status collect();
  /// Finds the mesh and puts it into the module, with the meshes of single devices. `mesh_wanted`:
  /// texts without axes want a mesh, too. Errors: none fits all.
  Status choose_mesh();

  bool found_any() const { return num_texts_ > 0; }
  bool found_named() const { return found_named_; }
  /// That of the shardings with device arrays; nothing without a text.
  const std::optional<MeshRef>& mesh() const { return mesh_; }

  /// The leaves at a place, one per value; nothing if it has no text. Errors: those of collect.
  Result<std::optional<std::vector<HloLeaf>>> leaves_at(const Place& place);
  /// Returns the sharding of a leaf for a value of that type. Errors: it does not fit, with the
  /// place.
  Result<LeafSharding> read(const Place& place, const HloLeaf& leaf, const ir::Type& type) const;

  static bool is_replicated(const HloLeaf& leaf);

 private:
  Result<const HloLeaves*> parse(const Place& place, const std::string& text);
  void note_leaf(const Place& place, const HloLeaf& leaf);
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
  int64_t num_named_devices_ = 0;          // of the largest mesh or the last device with a name
  std::vector<DeviceArray> arrays_;        // each once, in text order
  std::vector<Place> array_places_;        // the first place of each
  std::map<int64_t, std::string> single_;  // devices of maximal leaves, and their meshes
  bool has_one_partition_ = false;         // the program runs on device 0 alone
  std::optional<MeshRef> mesh_;
};

}  // namespace shardy::passes
