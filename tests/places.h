// Where the sources and the program are. The build writes them into a file of their own (cmake/rooms.cmake), so that tests
// compile to the same bits in every checkout and one compiler cache serves all.
#pragma once

namespace stickslip::places {

extern const char kSourceDir[];
extern const char kProgram[];   ///< empty where it is not built

}   // namespace stickslip::places
