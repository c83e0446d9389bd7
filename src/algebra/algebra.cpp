// Compiles the bodies of the headers of this layer for users that link the library.
// Lower layers first: their bodies are compiled in files of their own.
#include <shardy/support/contract.hpp>
#include <shardy/support/detail/quote.hpp>
#include <shardy/support/scanner.hpp>

#define SHARDY_BODIES
#include <shardy/algebra/axis_list.hpp>
#include <shardy/algebra/detail/attribute_text.hpp>
#include <shardy/algebra/detail/axis_check.hpp>
#include <shardy/algebra/detail/device_array.hpp>
#include <shardy/algebra/detail/equivalence.hpp>
#include <shardy/algebra/detail/hlo_leaves.hpp>
#include <shardy/algebra/detail/hlo_mesh.hpp>
#include <shardy/algebra/detail/hlo_named.hpp>
#include <shardy/algebra/detail/reshape_groups.hpp>
#include <shardy/algebra/detail/text_form.hpp>
#include <shardy/algebra/detail/unresolved_axis.hpp>
#include <shardy/algebra/einsum_rule.hpp>
#include <shardy/algebra/hlo_conversion.hpp>
#include <shardy/algebra/hlo_sharding.hpp>
#include <shardy/algebra/manual_axes.hpp>
#include <shardy/algebra/mesh.hpp>
#include <shardy/algebra/op_sharding_rule.hpp>
#include <shardy/algebra/partition_spec.hpp>
#include <shardy/algebra/propagation_edges.hpp>
#include <shardy/algebra/shard_layout.hpp>
#include <shardy/algebra/tensor_sharding.hpp>
#include <shardy/algebra/text.hpp>
#include <shardy/algebra/unresolved.hpp>
