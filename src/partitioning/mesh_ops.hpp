// Meshes of a module that is partitioned op by op.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "ir/meshes_in_use.hpp"
#include "passes/common/symbols.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/module.hpp"

namespace shardy::partitioning {

/// The mesh ops of a module, collected once.
class MeshOps {
 public:
  explicit MeshOps(ir::Module& module) : module_(module) {
    for (const ir::OpId op : module.meshes()) {
      const auto* mesh = module.attribute<Mesh>(op, ir::attr::kMesh);
      if (mesh == nullptr) continue;
      names_.emplace(*mesh, module.symbol_name(op));
    }
    if (const auto mesh = ir::mesh_of_program(module)) first_ = *mesh->name;
  }

  /// Returns the name of the mesh op with that content; creates one if there is none.
  std::string name_of(const Mesh& mesh) {
    const auto found = names_.find(mesh);
    if (found != names_.end()) return found->second;
    std::string name = passes::SymbolTable(module_).unique_name("mesh");
    const ir::OpId made = module_.add_mesh(name, mesh);
    module_.remove(made);
    module_.insert_before(module_.first_op(module_.body()), made);
    if (!mesh.axes().empty()) first_ = name;
    names_.emplace(mesh, name);
    return name;
  }
  /// Returns the mesh of the program, for values without sharding; empty if there is none.
  const std::string& first() const { return first_; }

 private:
  ir::Module& module_;
  std::map<Mesh, std::string> names_;
  std::string first_;
};

}  // namespace shardy::partitioning
