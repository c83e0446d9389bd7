// Pages, pictures and graphs of sharded programs.
#pragma once

#include <shardy/view/page.hpp>
#include <shardy/view/picture.hpp>
