#include "tools/rule_options.hpp"

#include <string>
#include <utility>
#include <vector>

#include "shardy/rules/registry.hpp"

namespace shardy::tools {

namespace {

using AddOp = Status (checking::Context::*)(checking::ForeignOp);

/// `example.rotary=b s, -> b s`.
Status add_rule(const std::string& text, AddOp add, checking::Context& context) {
  const std::size_t equals = text.find('=');
  if (equals == 0 || equals == std::string::npos) return fail("expected NAME=RULE, got: " + text);
  checking::ForeignOp op{.name = text.substr(0, equals)};
  SHARDY_TRY(op.rule, rules::einsum_maker(text.substr(equals + 1)));
  return (context.*add)(std::move(op));
}

void add_option(CLI::App& app, const std::string& name, const std::string& help, AddOp add,
                checking::Context& context) {
  const auto read = [=, &context](const std::vector<std::string>& texts) {
    for (const std::string& text : texts) {
      const Status added = add_rule(text, add, context);
      if (!added) throw CLI::ValidationError(name, added.error().message);
    }
  };
  app.add_option_function<std::vector<std::string>>(name, read, help)->allow_extra_args(false);
}

}  // namespace

void add_rule_options(CLI::App& app, checking::Context& context) {
  using checking::Context;
  add_option(app, "--op-rule", "sharding rule of an op of another dialect: NAME='i j -> i j'",
             &Context::add_op, context);
  add_option(app, "--custom-call-rule", "sharding rule of a custom call, by its target",
             &Context::add_custom_call, context);
  add_option(app, "--composite-rule", "sharding rule of a composite, by its name",
             &Context::add_composite, context);
}

}  // namespace shardy::tools
