#include "record/repair.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bit>
#include <cstring>

#include "store/memory_file.h"

namespace stickslip::h5 {

namespace {

/// Locks of whole files are HDF5's own. This byte lies beyond the end of every file.
constexpr off_t kWriterByte = off_t{1} << 61;

struct flock writer_lock(short type) {
  struct flock lock = {};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  lock.l_start = kWriterByte;
  lock.l_len = 1;
  return lock;
}

bool has_writer(int descriptor) {
  struct flock lock = writer_lock(F_WRLCK);
  return ::fcntl(descriptor, F_OFD_GETLK, &lock) != 0 || lock.l_type != F_UNLCK;
}

// The first bytes of an HDF5 file of our format (HDF5 File Format Specification 3.0, II.A, version 3).
constexpr std::size_t kSuperblockSize = 48, kVersionAt = 8, kOffsetSizeAt = 9, kFlagsAt = 11, kEndAt = 28, kChecksumAt = 44;
constexpr unsigned char kBeingWritten = 1 | 4;   // opened for writing; by one writer and many readers

std::uint32_t word_at(const unsigned char* bytes) {
  return std::uint32_t{bytes[0]} | std::uint32_t{bytes[1]} << 8 | std::uint32_t{bytes[2]} << 16 | std::uint32_t{bytes[3]} << 24;
}

/// Bob Jenkins' hash "lookup3", by which HDF5 checks its metadata, of bytes whose number is 8 more than a multiple of 12.
std::uint32_t superblock_checksum(const unsigned char* bytes) {
  static_assert(kChecksumAt % 12 == 8);
  std::uint32_t a = 0xdeadbeef + static_cast<std::uint32_t>(kChecksumAt), b = a, c = a;
  const auto turn = [](std::uint32_t& x, std::uint32_t& y, std::uint32_t& z, int bits) {
    x -= z, x ^= std::rotl(z, bits), z += y;
  };
  std::size_t at = 0;
  for (; kChecksumAt - at > 12; at += 12) {
    a += word_at(bytes + at), b += word_at(bytes + at + 4), c += word_at(bytes + at + 8);
    turn(a, b, c, 4), turn(b, c, a, 6), turn(c, a, b, 8), turn(a, b, c, 16), turn(b, c, a, 19), turn(c, a, b, 4);
  }
  a += word_at(bytes + at), b += word_at(bytes + at + 4);
  const auto last = [](std::uint32_t& x, std::uint32_t y, int bits) { x ^= y, x -= std::rotl(y, bits); };
  last(c, b, 14), last(a, c, 11), last(b, a, 25), last(c, b, 16), last(a, c, 4), last(b, a, 14), last(c, b, 24);
  return c;
}

std::uint64_t number_at(const unsigned char* bytes) { return std::uint64_t{word_at(bytes + 4)} << 32 | word_at(bytes); }

template <class Number>
void put_number(unsigned char* bytes, Number number) {
  for (std::size_t i = 0; i < sizeof number; ++i) bytes[i] = static_cast<unsigned char>(number >> 8 * i);
}

bool read_at(int descriptor, void* to, std::size_t size, std::uint64_t at) {
  return ::pread(descriptor, to, size, static_cast<off_t>(at)) == static_cast<ssize_t>(size);
}

constexpr char kAnnounced[] = "SLREDO1";   // and a zero: eight bytes
constexpr std::size_t kAddressAt = 8, kSizeAt = 16, kSumAt = 24;

/// Does a write that was announced and perhaps not finished. Once more does no harm.
void finish_write(int descriptor) {
  unsigned char head[kAnnouncementSize];
  if (!read_at(descriptor, head, sizeof head, 0) || std::memcmp(head, kAnnounced, sizeof kAnnounced) != 0) return;
  const std::uint64_t address = number_at(head + kAddressAt), size = number_at(head + kSizeAt);
  if (address < kAnnouncementRoom || !can_be_torn(address, size)) return;
  std::string bytes(size, '\0');
  if (!read_at(descriptor, bytes.data(), size, kAnnouncedBytesAt) || checksum(bytes) != number_at(head + kSumAt)) return;
  if (::pwrite(descriptor, bytes.data(), size, static_cast<off_t>(address)) != static_cast<ssize_t>(size)) return;
  ::fsync(descriptor);
  const std::string nothing(kAnnouncementSize, '\0');
  if (::pwrite(descriptor, nothing.data(), nothing.size(), 0) == static_cast<ssize_t>(nothing.size())) ::fsync(descriptor);
}

/// Takes the mark away. Does nothing to a file that is not exactly as our writer leaves it.
/// @param at where the superblock is: after the room for announcements, but for files of older versions
void take_mark_away(int descriptor, std::uint64_t at) {
  unsigned char block[kSuperblockSize];
  struct stat status;
  if (!read_at(descriptor, block, sizeof block, at) || ::fstat(descriptor, &status) != 0) return;
  if (std::memcmp(block, "\x89HDF\r\n\x1a\n", 8) != 0 || block[kVersionAt] != 3 || block[kOffsetSizeAt] != 8) return;
  if ((block[kFlagsAt] & kBeingWritten) == 0 || superblock_checksum(block) != word_at(block + kChecksumAt)) return;
  const std::uint64_t end = number_at(block + kEndAt), length = static_cast<std::uint64_t>(status.st_size);
  // Space at the end that was asked for and not written yet.
  if (length < end && ::ftruncate(descriptor, static_cast<off_t>(end)) != 0) return;
  block[kFlagsAt] &= static_cast<unsigned char>(~kBeingWritten);
  put_number(block + kEndAt, std::max(end, length));
  put_number(block + kChecksumAt, superblock_checksum(block));
  // One write of a few bytes in one page: it happens or it does not.
  if (::pwrite(descriptor, block, sizeof block, static_cast<off_t>(at)) == static_cast<ssize_t>(sizeof block))
    ::fsync(descriptor);
}

bool is_announced(const std::filesystem::path& path) {
  char head[sizeof kAnnounced] = {};
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  const bool read = descriptor >= 0 && read_at(descriptor, head, sizeof head, 0);
  if (descriptor >= 0) ::close(descriptor);
  return read && std::memcmp(head, kAnnounced, sizeof kAnnounced) == 0;
}

Handle open_for_reading(const std::filesystem::path& path, unsigned flags) {
  return Handle(H5Fopen(path.c_str(), H5F_ACC_RDONLY | flags, H5P_DEFAULT), H5Fclose);
}

}   // namespace

void announce_writer(int descriptor) {
  // A shared lock, which no reader's lock is in the way of, on any file system. Where there are no locks nothing is announced.
  struct flock lock = writer_lock(F_RDLCK);
  ::fcntl(descriptor, F_OFD_SETLK, &lock);
}

std::string announcement(std::uint64_t address, std::string_view bytes) {
  unsigned char head[kAnnouncementSize];
  std::memcpy(head, kAnnounced, sizeof kAnnounced);
  put_number(head + kAddressAt, address);
  put_number(head + kSizeAt, std::uint64_t{bytes.size()});
  put_number(head + kSumAt, checksum(bytes));
  return {reinterpret_cast<const char*>(head), sizeof head};
}

Handle open_grown(const std::filesystem::path& path) {
  Quiet quiet;
  if (!is_announced(path))
    if (Handle file = open_for_reading(path, 0)) return file;
  if (const int descriptor = ::open(path.c_str(), O_RDWR | O_CLOEXEC); descriptor >= 0) {
    if (!has_writer(descriptor)) {
      finish_write(descriptor);
      for (const std::uint64_t at : {kAnnouncementRoom, std::uint64_t{0}}) take_mark_away(descriptor, at);
    }
    ::close(descriptor);
  }
  if (Handle file = open_for_reading(path, 0)) return file;
  if (Handle file = open_for_reading(path, H5F_ACC_SWMR_READ)) return file;
  return open_file(path.string());   // says why
}

}   // namespace stickslip::h5
