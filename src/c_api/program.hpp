// The program that a handle refers to.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "c_api/call_result.hpp"
#include "shardy/ir/module.hpp"
#include "shardy/passes/pipeline.hpp"

namespace shardy::c_api {

/// An argument or a result of the main function.
struct ProgramPort {
  std::string name;
  std::string type;
  std::string sharding;
};

struct ProgramObject {
  using Handle = shardy_program;
  static constexpr HandleKind kKind = HandleKind::Program;
  static constexpr const char* kName = "program";

  std::shared_ptr<const ir::Module> module;
  SourceTextPtr source;
  passes::ProgramMarks marks;  // marks of the source text
  std::vector<ProgramPort> arguments;
  std::vector<ProgramPort> results;
};
using ProgramPtr = std::shared_ptr<const ProgramObject>;

ProgramObject make_program(ir::Module module, SourceTextPtr source, passes::ProgramMarks marks);

/// Returns the op of @main, which must have a body. Errors: the op or its body is missing.
CallResult<ir::OpId> main_function(const ProgramObject& program);

}  // namespace shardy::c_api
