// The bodies of the headers of this layer, for those who link the library: the solver among them.
#include <shardy/propagation/detail/group_inl.hpp>
#include <shardy/propagation/detail/infer_inl.hpp>
#include <shardy/propagation/detail/log_inl.hpp>
#include <shardy/propagation/detail/lowering_projection_inl.hpp>
#include <shardy/propagation/detail/manual_view_inl.hpp>
#include <shardy/propagation/detail/origins_inl.hpp>
#include <shardy/propagation/detail/parts_inl.hpp>
#include <shardy/propagation/detail/problem_builder_inl.hpp>
#include <shardy/propagation/detail/problem_inl.hpp>
#include <shardy/propagation/detail/projection_inl.hpp>
#include <shardy/propagation/detail/propagate_inl.hpp>
#include <shardy/propagation/detail/rule_layout_inl.hpp>
