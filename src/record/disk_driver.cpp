#include "record/disk_driver.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

#include "record/repair.h"

namespace stickslip::h5 {

namespace {

/// What HDF5 holds for an open file. HDF5 sees only the first member.
struct DiskFile {
  H5FD_t base = {};
  int descriptor = -1;
  haddr_t end_of_addresses = 0, end_of_file = 0;
  std::shared_ptr<int> first_error;
  struct Kept {
    haddr_t address;
    std::string bytes;
  };
  std::vector<Kept> refused;   ///< writes since the first error, so that HDF5 reads back what it wrote
};

DiskFile& of(H5FD_t* file) { return *reinterpret_cast<DiskFile*>(file); }
const DiskFile& of(const H5FD_t* file) { return *reinterpret_cast<const DiskFile*>(file); }

/// What the property list carries to `open_file`.
struct Parameters {
  std::shared_ptr<int>* first_error;
};

H5FD_t* open_file(const char* name, unsigned, hid_t access, haddr_t) {
  const auto* parameters = static_cast<const Parameters*>(H5Pget_driver_info(access));
  if (!parameters) return nullptr;
  const int descriptor = ::open(name, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor < 0) {
    **parameters->first_error = errno;
    return nullptr;
  }
  announce_writer(descriptor);
  auto* file = new DiskFile;
  file->descriptor = descriptor;
  file->first_error = *parameters->first_error;
  return &file->base;
}

herr_t close_file(H5FD_t* base) {
  DiskFile* file = &of(base);
  if (::close(file->descriptor) != 0 && *file->first_error == 0) *file->first_error = errno;
  delete file;
  return 0;
}

int compare(const H5FD_t* a, const H5FD_t* b) {
  return of(a).descriptor < of(b).descriptor ? -1 : of(a).descriptor > of(b).descriptor;
}

herr_t query(const H5FD_t*, unsigned long* flags) {
  // Each piece of the structure is written by itself: pieces that are put together would be in the order of their places.
  *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_DATA_SIEVE | H5FD_FEAT_AGGREGATE_SMALLDATA | H5FD_FEAT_SUPPORTS_SWMR_IO |
           H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
  return 0;
}

haddr_t end_of_addresses(const H5FD_t* file, H5FD_mem_t) { return of(file).end_of_addresses; }
herr_t set_end_of_addresses(H5FD_t* file, H5FD_mem_t, haddr_t address) {
  of(file).end_of_addresses = address;
  return 0;
}
haddr_t end_of_file(const H5FD_t* file, H5FD_mem_t) { return of(file).end_of_file; }

herr_t read(H5FD_t* base, H5FD_mem_t, hid_t, haddr_t address, std::size_t size, void* buffer) {
  DiskFile& file = of(base);
  auto* to = static_cast<char*>(buffer);
  std::size_t done = 0;
  while (done < size) {
    const ssize_t got = ::pread(file.descriptor, to + done, size - done, static_cast<off_t>(address + done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    done += static_cast<std::size_t>(got);
  }
  std::memset(to + done, 0, size - done);   // beyond the end
  for (const DiskFile::Kept& kept : file.refused) {
    const haddr_t from = std::max(address, kept.address);
    const haddr_t until = std::min(address + size, kept.address + kept.bytes.size());
    if (from < until) std::memcpy(to + (from - address), kept.bytes.data() + (from - kept.address), until - from);
  }
  return 0;
}

/// @returns how much the disk took; less than all after an error
std::size_t put_on_disk(DiskFile& file, haddr_t address, std::string_view bytes) {
  std::size_t done = 0;
  while (*file.first_error == 0 && done < bytes.size()) {
    const ssize_t put = ::pwrite(file.descriptor, bytes.data() + done, bytes.size() - done, static_cast<off_t>(address + done));
    if (put >= 0) done += static_cast<std::size_t>(put);
    else if (errno != EINTR) *file.first_error = errno;
  }
  return done;
}

herr_t write(H5FD_t* base, H5FD_mem_t type, hid_t, haddr_t address, std::size_t size, const void* buffer) {
  DiskFile& file = of(base);
  const std::string_view bytes(static_cast<const char*>(buffer), size);
  file.end_of_file = std::max(file.end_of_file, address + size);
  const bool announced = type != H5FD_MEM_DRAW && can_be_torn(address, size);
  if (announced) {
    put_on_disk(file, kAnnouncedBytesAt, bytes);
    put_on_disk(file, 0, announcement(address, bytes));
  }
  const std::size_t done = put_on_disk(file, address, bytes);
  if (announced) put_on_disk(file, 0, std::string(kAnnouncementSize, '\0'));
  if (done < size) file.refused.push_back({address + done, std::string(bytes.substr(done))});
  return 0;
}

herr_t truncate(H5FD_t* base, hid_t, hbool_t) {
  DiskFile& file = of(base);
  if (file.end_of_file == file.end_of_addresses) return 0;
  // A device has no length to set.
  struct stat status;
  const bool regular = ::fstat(file.descriptor, &status) == 0 && S_ISREG(status.st_mode);
  if (*file.first_error == 0 && regular && ::ftruncate(file.descriptor, static_cast<off_t>(file.end_of_addresses)) != 0)
    *file.first_error = errno;
  file.end_of_file = file.end_of_addresses;
  return 0;
}

H5FD_class_t driver_class() {
  H5FD_class_t c = {};
#if H5_VERSION_GE(1, 13, 2)
  c.version = H5FD_CLASS_VERSION;
  c.value = static_cast<H5FD_class_value_t>(512);   // from the range that HDF5 leaves to others
#endif
  c.name = "stickslip-growing";
  c.maxaddr = (haddr_t{1} << 62) - 1;
  c.fc_degree = H5F_CLOSE_WEAK;
  c.fapl_size = sizeof(Parameters);
  c.open = open_file;
  c.close = close_file;
  c.cmp = compare;
  c.query = query;
  c.get_eoa = end_of_addresses;
  c.set_eoa = set_end_of_addresses;
  c.get_eof = end_of_file;
  c.read = read;
  c.write = write;
  c.truncate = truncate;
  // HDF5 marks a file as being written only if its driver can lock. Nothing needs to be locked: until others may read it,
  // nobody else knows the file.
  c.lock = [](H5FD_t*, hbool_t) -> herr_t { return 0; };
  c.unlock = [](H5FD_t*) -> herr_t { return 0; };
  const H5FD_mem_t map[H5FD_MEM_NTYPES] = H5FD_FLMAP_DICHOTOMY;
  std::copy(std::begin(map), std::end(map), c.fl_map);
  return c;
}

}   // namespace

GrowingFile::GrowingFile(const std::string& path) {
  Quiet quiet;
  const H5FD_class_t description = driver_class();
  driver_ = Handle(check(H5FDregister(&description), "register the file driver"), H5FDunregister);
  const Handle access(check(H5Pcreate(H5P_FILE_ACCESS), "create a property list"), H5Pclose);
  // The oldest format that others can read while it grows.
  check(H5Pset_libver_bounds(access.get(), H5F_LIBVER_V110, H5F_LIBVER_V110), "choose the format");
  const Parameters parameters{&first_error_};
  check(H5Pset_driver(access.get(), driver_.get(), &parameters), "choose the file driver");
  const Handle creation(check(H5Pcreate(H5P_FILE_CREATE), "create a property list"), H5Pclose);
  check(H5Pset_userblock(creation.get(), kAnnouncementRoom), "keep room for what is being written");
  const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, creation.get(), access.get());
  if (*first_error_ != 0) {
    if (file >= 0) H5Fclose(file);
    throw Error(fmt::format("Cannot create the file: {}.", std::strerror(*first_error_)));
  }
  file_ = Handle(check(file, "create the file"), H5Fclose);
}

void GrowingFile::let_others_read() {
  Quiet quiet;
  check(H5Fstart_swmr_write(file_.get()), "let others read the file while it grows");
  check_disk();
}

void GrowingFile::check_disk() const {
  if (*first_error_ != 0) throw Error(fmt::format("Cannot write: {}.", std::strerror(*first_error_)));
}

bool GrowingFile::close() noexcept {
  const bool closed = file_.close();
  driver_.close();
  return closed && *first_error_ == 0;
}

}   // namespace stickslip::h5
