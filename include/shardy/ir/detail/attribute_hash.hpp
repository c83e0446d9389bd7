// Hashes of attributes, for tables of equal ops.
#pragma once

#include <cstddef>
#include <shardy/ir/attribute.hpp>
#include <shardy/ir/type.hpp>

namespace shardy::ir {

/// Equal attributes have equal hashes. The hash covers the whole content, so that ops which differ
/// in one number of a long list do not collide.
///
/// Cost: that of reading the attribute once.
std::size_t hash_of_attribute(const Attribute& attribute);
/// Equal types have equal hashes.
std::size_t hash_of_type(const Type& type);
/// Returns a hash of the names and the attributes.
std::size_t hash_of_attributes(const AttributeMap& attributes);

}  // namespace shardy::ir
