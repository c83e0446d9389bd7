// Everything, for small programs. The library itself never includes this header.
#pragma once

#include <shardy/algebra/equivalence.hpp>
#include <shardy/algebra/mesh.hpp>
#include <shardy/algebra/op_sharding_rule.hpp>
#include <shardy/algebra/resolve.hpp>
#include <shardy/algebra/shard_layout.hpp>
#include <shardy/algebra/tensor_sharding.hpp>
#include <shardy/algebra/text.hpp>
#include <shardy/checking/check.hpp>
#include <shardy/ir/graph_builder.hpp>
#include <shardy/ir/module.hpp>
#include <shardy/ir/type_text.hpp>
#include <shardy/ir/verify.hpp>
#include <shardy/partitioning/partition.hpp>
#include <shardy/passes/built_in.hpp>
#include <shardy/passes/export_pipeline.hpp>
#include <shardy/passes/pipeline.hpp>
#include <shardy/propagation/ir_adapter.hpp>
#include <shardy/resharding/plan.hpp>
#include <shardy/simulation/run.hpp>
#include <shardy/text/json.hpp>
