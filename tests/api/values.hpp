// Draws objects of the public classes: one of a few valid ones, sometimes moved from.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "all_headers.hpp"
#include "api/draw.hpp"
#include "shardy/algebra/detail/attribute_text.hpp"
#include "shardy/algebra/detail/device_array.hpp"
#include "shardy/propagation/detail/ir_debug.hpp"
#include "shardy/propagation/detail/ir_problem.hpp"
#include "shardy/propagation/detail/ir_written_program.hpp"

namespace shardy::api_test {

#define SHARDY_DRAWN(...)                \
  template <>                            \
  struct Values<__VA_ARGS__> {           \
    static __VA_ARGS__ make(Draw& draw); \
  }
#define SHARDY_DRAWN_BEHIND(...)                          \
  template <>                                             \
  struct Values<__VA_ARGS__> {                            \
    static std::unique_ptr<__VA_ARGS__> make(Draw& draw); \
  }

// ---- algebra
SHARDY_DRAWN(Mesh);
SHARDY_DRAWN(AxisRef);
SHARDY_DRAWN(TensorSharding);
SHARDY_DRAWN(OpShardingRule);
SHARDY_DRAWN(HloSharding);
SHARDY_DRAWN(DeviceArray);
SHARDY_DRAWN(ShardGrid);
SHARDY_DRAWN(AttributeAliases);
// ---- support
SHARDY_DRAWN(Location);
SHARDY_DRAWN(Scanner);
SHARDY_DRAWN_BEHIND(std::atomic<bool>);
SHARDY_DRAWN(LimitChecker);
// ---- resharding
SHARDY_DRAWN(BoundAxes);
SHARDY_DRAWN(ReshardPlanner);
// ---- ir
SHARDY_DRAWN(ir::Module);
SHARDY_DRAWN(ir::Type);
SHARDY_DRAWN(ir::FunctionType);
SHARDY_DRAWN(ir::Attribute);
SHARDY_DRAWN(ir::AttributeName);
SHARDY_DRAWN(ir::AttributeMap);
SHARDY_DRAWN(ir::Literal);
SHARDY_DRAWN(ir::TypeShape);
SHARDY_DRAWN(ir::Builder);
SHARDY_DRAWN(ir::OpIterator);
SHARDY_DRAWN(ir::ShardingSpec);
SHARDY_DRAWN(ir::LocationAliases);
SHARDY_DRAWN_BEHIND(ir::GraphBuilder);
// ---- rules
SHARDY_DRAWN(rules::OpView);
SHARDY_DRAWN(rules::RuleBuilder);
SHARDY_DRAWN(rules::Registry);
SHARDY_DRAWN(rules::OpSignature);
SHARDY_DRAWN_BEHIND(rules::RuleTable);
// ---- propagation
SHARDY_DRAWN(propagation::FlatRule);
SHARDY_DRAWN(propagation::Problem);
SHARDY_DRAWN_BEHIND(propagation::ProblemBuilder);
SHARDY_DRAWN(propagation::Projection);
SHARDY_DRAWN(propagation::ModuleProblem);
SHARDY_DRAWN_BEHIND(propagation::StepObserver);
SHARDY_DRAWN_BEHIND(propagation::ModuleObserver);
SHARDY_DRAWN_BEHIND(propagation::LoggingObserver);
SHARDY_DRAWN_BEHIND(propagation::DecisionLog);
SHARDY_DRAWN_BEHIND(propagation::DebugAttributes);
SHARDY_DRAWN_BEHIND(propagation::Explainer);
SHARDY_DRAWN(propagation::WrittenProgram);
// ---- simulation
SHARDY_DRAWN(simulation::Tensor);
SHARDY_DRAWN(simulation::TensorWriter);
SHARDY_DRAWN_BEHIND(simulation::Transport);
SHARDY_DRAWN_BEHIND(simulation::MpiSession);
// ---- passes and above
SHARDY_DRAWN(passes::OptionValues);
SHARDY_DRAWN_BEHIND(passes::PassContext);
SHARDY_DRAWN(passes::PassRegistry);
SHARDY_DRAWN(partitioning::CollectivePrices);
SHARDY_DRAWN(checking::Random);
SHARDY_DRAWN(checking::CompiledProgram);
SHARDY_DRAWN(report::Reasons);
SHARDY_DRAWN(text::WrittenNames);
SHARDY_DRAWN(text::WrittenValues);

#undef SHARDY_DRAWN
#undef SHARDY_DRAWN_BEHIND

}  // namespace shardy::api_test
