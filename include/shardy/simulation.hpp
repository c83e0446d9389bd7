// Runs of programs on simulated devices.
#pragma once

#include <shardy/simulation/run.hpp>
#include <shardy/simulation/tensor.hpp>
