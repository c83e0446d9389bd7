// Compiles the function bodies of the headers of this layer for users that link the library. The
// headers of lower layers come first, because other files compile their bodies.
#include <shardy/algebra/axis_list.hpp>
#include <shardy/algebra/detail/axis_check.hpp>
#include <shardy/algebra/mesh.hpp>
#include <shardy/algebra/op_sharding_rule.hpp>
#include <shardy/algebra/propagation_edges.hpp>
#include <shardy/algebra/tensor_sharding.hpp>
#include <shardy/algebra/text.hpp>
#include <shardy/algebra/unresolved.hpp>
#include <shardy/support/contract.hpp>
#include <shardy/support/detail/number_set.hpp>
#include <shardy/support/detail/quote.hpp>
#include <shardy/support/limits.hpp>

#define SHARDY_BODIES
#include <shardy/propagation/detail/extension_results.hpp>
#include <shardy/propagation/detail/group.hpp>
#include <shardy/propagation/detail/manual_view.hpp>
#include <shardy/propagation/detail/origins.hpp>
#include <shardy/propagation/log.hpp>
#include <shardy/propagation/meet.hpp>
#include <shardy/propagation/problem.hpp>
#include <shardy/propagation/problem_builder.hpp>
#include <shardy/propagation/projection.hpp>
#include <shardy/propagation/propagate.hpp>
