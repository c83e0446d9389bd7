// Partitioning of a module to a per-device program.
#pragma once

#include <shardy/partitioning/partition.hpp>
