// Passes over modules, their registry, and pipelines.
#pragma once

#include <shardy/passes/pipeline.hpp>
