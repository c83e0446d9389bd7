// Bodies of the layers that a compiler can vendor follow the declarations of their header, between
// `#ifdef SHARDY_BODIES` and its `#endif`. With SHARDY_HEADER_ONLY, as the CMake target
// shardy::algebra gives it, each unit that includes a header has them inline; without it
// `src/LAYER/LAYER.cpp` defines SHARDY_BODIES and compiles them once, into shardy::shardy.
#pragma once

#ifdef SHARDY_HEADER_ONLY
#define SHARDY_INLINE inline
#define SHARDY_BODIES
#else
#define SHARDY_INLINE
#endif
