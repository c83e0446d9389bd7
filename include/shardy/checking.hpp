// Sharded runs against the unsharded one.
#pragma once

#include <shardy/checking/check.hpp>
#include <shardy/checking/compile.hpp>
#include <shardy/checking/sweep.hpp>
