// Layers that a compiler can vendor have the bodies of a header after its declarations, between
// `#ifdef SHARDY_BODIES` and its `#endif`. With SHARDY_HEADER_ONLY, which the CMake target
// shardy::algebra defines, each unit compiles them inline; without it `src/LAYER/LAYER.cpp` defines
// SHARDY_BODIES and compiles them once, into shardy::shardy.
#pragma once

#ifdef SHARDY_HEADER_ONLY
#define SHARDY_INLINE inline
#define SHARDY_BODIES
#else
#define SHARDY_INLINE
#endif
