// Passes over modules, the registry, pipelines.
#pragma once

#include <shardy/passes/pipeline.hpp>
