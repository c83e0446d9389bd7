// Passes over modules, the registry, pipelines.
#pragma once

#include <shardy/passes/built_in.hpp>
#include <shardy/passes/pipeline.hpp>
#include <shardy/passes/pipelines.hpp>
