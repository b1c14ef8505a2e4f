// Trajectories whose writer was killed.
#pragma once

#include <filesystem>

#include "store/hdf5.h"

namespace stickslip::h5 {

/// Tells everyone that a file is being written for as long as the descriptor is open, without keeping anyone from reading it.
void announce_writer(int descriptor);

/// Opens a file of `GrowingFile` for reading. One that is still marked as being written though nobody writes it any more is
/// mended first, if it may be written: the mark is taken away, and its length is the one that it has. Otherwise it is read as
/// one that
/// grows. @throws Error
Handle open_grown(const std::filesystem::path&);

}   // namespace stickslip::h5
