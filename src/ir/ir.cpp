// Compiles the function bodies of the headers of this layer for users that link the library. The
// headers of lower layers come first, because other files compile their bodies.
#include <shardy/algebra/axis_list.hpp>
#include <shardy/algebra/detail/axis_check.hpp>
#include <shardy/algebra/manual_axes.hpp>
#include <shardy/algebra/mesh.hpp>
#include <shardy/algebra/op_sharding_rule.hpp>
#include <shardy/algebra/tensor_sharding.hpp>
#include <shardy/algebra/unresolved.hpp>
#include <shardy/support/contract.hpp>
#include <shardy/support/detail/quote.hpp>

#define SHARDY_BODIES
#include <shardy/ir/attribute.hpp>
#include <shardy/ir/detail/data_flow.hpp>
#include <shardy/ir/detail/edge_shardings.hpp>
#include <shardy/ir/detail/float_format.hpp>
#include <shardy/ir/detail/location_table.hpp>
#include <shardy/ir/detail/name_table.hpp>
#include <shardy/ir/detail/number.hpp>
#include <shardy/ir/detail/op_attributes.hpp>
#include <shardy/ir/detail/recent_values.hpp>
#include <shardy/ir/detail/type_shape.hpp>
#include <shardy/ir/detail/use_table.hpp>
#include <shardy/ir/graph_builder.hpp>
#include <shardy/ir/module.hpp>
#include <shardy/ir/op_table.hpp>
#include <shardy/ir/shape_ops.hpp>
#include <shardy/ir/sharding_access.hpp>
#include <shardy/ir/type.hpp>
#include <shardy/ir/type_text.hpp>
#include <shardy/ir/verify.hpp>
#include <shardy/ir/walk.hpp>
#include <shardy/ir/window_ops.hpp>
