// Text of attributes of the dialect of which it is not known beforehand what they are.
#pragma once

#include <shardy/algebra/text.hpp>
#include <shardy/algebra/text_form.hpp>
#include <string>
#include <string_view>
#include <variant>

namespace shardy {

/// Any value that is an attribute of the dialect by itself.
using SdyAttribute =
    std::variant<Mesh, SpelledSharding, SpelledShardings, OpShardingRule, PropagationEdges,
                 ManualAxes, SpelledAxisList, SpelledAxisLists, SpelledAllToAlls, SpelledAllToAll,
                 MeshAxis, SubAxis, SpelledAxisRef, SpelledDim, TensorMapping, DimMapping>;

/// Reads `#sdy.mnemonic<...>` or `#sdy<mnemonic...>`, whichever value it is. No alias may come
/// next: its value is whatever its own text reads as.
Result<SdyAttribute> read_attribute(Scanner& scanner, AttributeAliases* aliases = nullptr);

/// Reads any attribute of the SDY dialect, `#sdy.NAME<..>`. Errors: unknown names, what was
/// expected, with line:column.
Result<SdyAttribute> parse_attribute(std::string_view text);

std::string attribute_text(const SdyAttribute& attribute);

}  // namespace shardy

#ifdef SHARDY_HEADER_ONLY
#include <shardy/algebra/detail/any_attribute_inl.hpp>
#endif
