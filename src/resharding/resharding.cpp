// The bodies of the headers of this layer, for those who link the library.
#include <shardy/resharding/detail/axis_lists_inl.hpp>
#include <shardy/resharding/detail/coexistence_inl.hpp>
#include <shardy/resharding/detail/permute_inl.hpp>
#include <shardy/resharding/detail/plan_inl.hpp>
#include <shardy/resharding/detail/reference_exchange_inl.hpp>
#include <shardy/resharding/detail/reference_inl.hpp>
#include <shardy/resharding/detail/reference_permute_inl.hpp>
#include <shardy/resharding/detail/reference_slice_inl.hpp>
#include <shardy/resharding/detail/reference_state_inl.hpp>
#include <shardy/resharding/detail/step_inl.hpp>
#include <shardy/resharding/detail/step_maker_inl.hpp>
#include <shardy/resharding/detail/unreduced_inl.hpp>
