#include "text/spelled_attribute.hpp"

#include <utility>

#include "shardy/algebra/spelled.hpp"

namespace shardy::text {

namespace {

struct Speller {
  template <class T>
  ir::Attribute operator()(const T& other) const {
    return other;
  }
  ir::Attribute operator()(const TensorSharding& sharding) const { return spell(sharding); }
  ir::Attribute operator()(const ir::ShardingList& list) const {
    ir::SpelledShardingList result;
    for (const TensorSharding& sharding : list.shardings) {
      result.shardings.push_back(spell(sharding));
    }
    return result;
  }
  ir::Attribute operator()(const ir::AxesAttr& attr) const {
    return ir::SpelledAxesAttr{spell(attr.mesh, attr.axes)};
  }
  ir::Attribute operator()(const ir::AxesListsAttr& attr) const {
    ir::SpelledAxesListsAttr result;
    for (const AxisList& axes : attr.lists) result.lists.push_back(spell(attr.mesh, axes));
    return result;
  }
  ir::Attribute operator()(const ir::AllToAllAttr& attr) const {
    ir::SpelledAllToAllAttr result;
    for (const ir::AllToAllParam& param : attr.params) {
      result.params.push_back({spell(attr.mesh, param.axes), param.source_dim, param.target_dim});
    }
    return result;
  }
  ir::Attribute operator()(const ir::ArrayAttr& list) const {
    ir::ArrayAttr result;
    for (const ir::Attribute& element : list.elements) result.elements.push_back(spelled(element));
    return result;
  }
  ir::Attribute operator()(const ir::AttributeMap& map) const {
    ir::AttributeMap result;
    for (const ir::NamedAttribute& entry : map) result.set(entry.name, spelled(entry.value));
    return result;
  }
};

}  // namespace

ir::Attribute spelled(const ir::Attribute& attribute) { return attribute.visit(Speller{}); }

}  // namespace shardy::text
