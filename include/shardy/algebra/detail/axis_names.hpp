#pragma once

#include <cstdint>
#include <map>
#include <shardy/algebra/mesh.hpp>
#include <string>
#include <string_view>

namespace shardy {

/// Sizes of all axes by their names. Spec: algebra 1.4.
std::map<std::string, int64_t, std::less<>> axis_name_to_size(const Mesh& mesh);

/// The order of axes in `mesh`; unknown names come last, by name. Spec: algebra 1.4.
bool axis_name_less(const Mesh& mesh, std::string_view left, std::string_view right);

}  // namespace shardy

#ifdef SHARDY_HEADER_ONLY
#include <shardy/algebra/detail/axis_names_inl.hpp>
#endif
