// Hashes of attributes, for hash tables that find equal ops.
#pragma once

#include <cstddef>
#include <shardy/ir/attribute.hpp>
#include <shardy/ir/type.hpp>

namespace shardy::ir {

/// Returns a hash of the attribute. Equal attributes have equal hashes. The hash covers the whole
/// content: ops that differ in one number of a long list do not collide.
///
/// Cost: linear in the size of the attribute.
std::size_t hash_of_attribute(const Attribute& attribute);
/// Returns a hash of the type. Equal types have equal hashes.
std::size_t hash_of_type(const Type& type);
/// Returns a hash of the names and the values of the attributes.
std::size_t hash_of_attributes(const AttributeMap& attributes);

}  // namespace shardy::ir
