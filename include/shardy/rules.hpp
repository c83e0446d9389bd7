// Sharding rules of ops, and the registry for those of others.
#pragma once

#include <shardy/rules/einsum.hpp>
#include <shardy/rules/registry.hpp>
#include <shardy/rules/rule_attributes.hpp>
#include <shardy/rules/rule_builder.hpp>
#include <shardy/rules/rule_options.hpp>
