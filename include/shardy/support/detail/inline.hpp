// Definition of SHARDY_INLINE, for layers that a compiler can vendor. A header of these layers has
// its function bodies after the declarations, between `#ifdef SHARDY_BODIES` and its `#endif`. With
// SHARDY_HEADER_ONLY, which the CMake target shardy::algebra defines, each translation unit
// compiles the bodies as inline functions. Without SHARDY_HEADER_ONLY, only `src/LAYER/LAYER.cpp`
// defines SHARDY_BODIES, and the library shardy::shardy contains the functions. In a program
// without the library, one unit of the program may define SHARDY_BODIES instead.
#pragma once

#ifdef SHARDY_HEADER_ONLY
#define SHARDY_INLINE inline
#define SHARDY_BODIES
#else
#define SHARDY_INLINE
#endif
