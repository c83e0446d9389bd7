// Meshes, axes, shardings, sharding rules, shard layout, and their text. For shardings in XLA's
// forms include algebra/hlo_conversion.hpp.
#pragma once

#include <shardy/algebra/einsum_rule.hpp>
#include <shardy/algebra/manual_axes.hpp>
#include <shardy/algebra/mesh.hpp>
#include <shardy/algebra/op_sharding_rule.hpp>
#include <shardy/algebra/partition_spec.hpp>
#include <shardy/algebra/shard_layout.hpp>
#include <shardy/algebra/tensor_sharding.hpp>
#include <shardy/algebra/text.hpp>
#include <shardy/algebra/unresolved.hpp>
