// The tables of a document with meshes, shardings and device pictures. Each occurs once.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "shardy/algebra/tensor_sharding.hpp"
#include "view/part_writer.hpp"

namespace shardy::view {

/// Numbers meshes, shardings and pictures in the order of their first use, and writes their parts.
class ShardingTables {
 public:
  /// Adds the meshes of a program, in order.
  int64_t add_mesh(const std::string& name, const Mesh& mesh);
  /// Returns the number of a sharding; -1 for std::nullopt.
  int64_t add(const std::optional<TensorSharding>& sharding);
  /// Returns the number of a picture. A value without a sharding is replicated on the first mesh.
  /// Returns -1 if the program has no mesh or the ranks differ.
  int64_t add_picture(const std::optional<TensorSharding>& sharding,
                      std::span<const int64_t> shape);

  std::string shardings_part() const;
  std::string pictures_part() const;
  /// Writes the members `axis_names` and `meshes` of the open object.
  void write_meshes(PartWriter& out) const;

 private:
  struct NamedMesh {
    std::string name;
    Mesh mesh;
    int64_t picture = -1;
  };

  int64_t add_grid(const TensorSharding& sharding, std::span<const int64_t> shape, int64_t number);
  int64_t mesh_of(const TensorSharding& sharding);

  std::vector<NamedMesh> meshes_;
  std::map<std::pair<std::string, std::string>, int64_t> mesh_numbers_;  // key: name and text
  std::vector<TensorSharding> shardings_;
  std::vector<int64_t> mesh_of_sharding_;
  std::map<std::pair<int64_t, std::string>, int64_t> sharding_numbers_;  // key: mesh and text
  std::vector<std::string> pictures_;
  std::map<std::pair<int64_t, std::vector<int64_t>>, int64_t> picture_numbers_;
};

}  // namespace shardy::view
