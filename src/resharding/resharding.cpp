// Compiles the bodies of the headers of this layer for users that link the library.
// Lower layers first: their bodies are compiled in files of their own.
#include <shardy/algebra/axis_list.hpp>
#include <shardy/algebra/detail/axis_check.hpp>
#include <shardy/algebra/detail/reshape_groups.hpp>
#include <shardy/algebra/manual_axes.hpp>
#include <shardy/algebra/mesh.hpp>
#include <shardy/algebra/shard_layout.hpp>
#include <shardy/algebra/tensor_sharding.hpp>
#include <shardy/algebra/unresolved.hpp>
#include <shardy/support/contract.hpp>
#include <shardy/support/detail/quote.hpp>
#include <shardy/support/limits.hpp>

#define SHARDY_BODIES
#include <shardy/resharding/best_plan.hpp>
#include <shardy/resharding/cost.hpp>
#include <shardy/resharding/detail/axis_lists.hpp>
#include <shardy/resharding/detail/halo_plan.hpp>
#include <shardy/resharding/detail/links.hpp>
#include <shardy/resharding/detail/nesting.hpp>
#include <shardy/resharding/detail/permute.hpp>
#include <shardy/resharding/detail/reference.hpp>
#include <shardy/resharding/detail/search.hpp>
#include <shardy/resharding/detail/search_problem.hpp>
#include <shardy/resharding/detail/step_meter.hpp>
#include <shardy/resharding/detail/unreduced.hpp>
#include <shardy/resharding/device_pairs.hpp>
#include <shardy/resharding/step.hpp>
