// The per-device program of a module whose reshards are collectives.
#pragma once

#include <shardy/partitioning/chlo_lowering.hpp>
#include <shardy/partitioning/partition.hpp>
