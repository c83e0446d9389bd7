// The IR: modules, types, ops and regions, builders, walks and the verifier.
#pragma once

#include <shardy/ir/attribute.hpp>
#include <shardy/ir/attribute_names.hpp>
#include <shardy/ir/collective_ops.hpp>
#include <shardy/ir/graph_builder.hpp>
#include <shardy/ir/module.hpp>
#include <shardy/ir/op_definition.hpp>
#include <shardy/ir/shape_ops.hpp>
#include <shardy/ir/sharding_access.hpp>
#include <shardy/ir/type_text.hpp>
#include <shardy/ir/verify.hpp>
#include <shardy/ir/view.hpp>
#include <shardy/ir/walk.hpp>
#include <shardy/ir/window_ops.hpp>
