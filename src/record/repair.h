// Trajectories whose writer was killed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "store/hdf5.h"

namespace stickslip::h5 {

/// Tells everyone that a file is being written for as long as the descriptor is open, without keeping anyone from reading it.
void announce_writer(int descriptor);

// The system writes a page at a time, and a kill can come between two. What of the structure of a file crosses the border of a
// page is therefore announced: first the bytes, in the first part of the file, which HDF5 leaves to us, then where they belong.
// Whoever opens the file later writes them once more.
inline constexpr std::uint64_t kPage = 4096, kAnnouncementRoom = 32768, kAnnouncedBytesAt = kPage, kAnnouncementSize = 32;

/// Whether a write has to be announced, and can be.
constexpr bool can_be_torn(std::uint64_t address, std::size_t size) {
  return size > 0 && size <= kAnnouncementRoom - kAnnouncedBytesAt && address / kPage != (address + size - 1) / kPage;
}
/// What to write at the beginning of the file, where one page holds it. The bytes are there by then.
std::string announcement(std::uint64_t address, std::string_view bytes);

/// Opens a file of `GrowingFile` for reading. One whose writer was killed is mended first, if it may be written: a write that
/// was announced is done, the mark of a file that is being written is taken away, and its length is the one that it has.
/// Otherwise it is read as one that grows. @throws Error
Handle open_grown(const std::filesystem::path&);

}   // namespace stickslip::h5
