// Sharding rules of ops, and the registry for rules of other ops.
#pragma once

#include <shardy/rules/op_view.hpp>
#include <shardy/rules/registry.hpp>
#include <shardy/rules/rule_builder.hpp>
