#include "record/vtk_file.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <bit>

#include "record/output_file.h"
#include "stickslip/math/error.h"

namespace stickslip {

namespace {

constexpr std::size_t kBlockBytes = 1 << 20;   // compressed at a time
constexpr int kLevel = 1;                      // of zlib: meshes shrink well with little effort

}   // namespace

VtkFile::VtkFile(std::string_view kind, double time) : kind_(kind) {
  xml_ = fmt::format(
      "<?xml version=\"1.0\"?>\n"
      "<VTKFile type=\"{0}\" version=\"1.0\" byte_order=\"{1}\" header_type=\"UInt64\" compressor=\"vtkZLibDataCompressor\">\n"
      "<{0}>\n"
      "<FieldData>\n"
      "<DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" format=\"ascii\">{2}</DataArray>\n"
      "</FieldData>\n",
      kind, std::endian::native == std::endian::little ? "LittleEndian" : "BigEndian", time);
}

void VtkFile::open(std::string_view tag) { xml_ += fmt::format("<{}>\n", tag); }
void VtkFile::close(std::string_view tag) { xml_ += fmt::format("</{}>\n", tag); }

void VtkFile::array(std::string_view name, std::string_view type, int components, std::string_view bytes) {
  xml_ += fmt::format("<DataArray type=\"{}\" Name=\"{}\" NumberOfComponents=\"{}\" format=\"appended\" offset=\"{}\"/>\n",
                      type, name, components, data_.size());
  // Number of blocks, bytes of a block, bytes of the last one if it is not full, compressed bytes of each; then the blocks.
  const std::size_t blocks = (bytes.size() + kBlockBytes - 1) / kBlockBytes;
  append(blocks);
  append(kBlockBytes);
  append(bytes.size() % kBlockBytes);
  std::size_t size_at = data_.size();
  data_.resize(data_.size() + blocks * sizeof(std::uint64_t));
  for (std::size_t i = 0; i < blocks; ++i, size_at += sizeof(std::uint64_t)) {
    const std::string_view block = bytes.substr(i * kBlockBytes, kBlockBytes);
    const std::size_t start = data_.size();
    uLongf room = compressBound(static_cast<uLong>(block.size()));
    data_.resize(start + room);
    if (compress2(reinterpret_cast<Bytef*>(data_.data() + start), &room, reinterpret_cast<const Bytef*>(block.data()),
                  static_cast<uLong>(block.size()), kLevel) != Z_OK)
      throw Error("A frame cannot be compressed: memory is short. Record a smaller scene.");
    data_.resize(start + room);
    const std::uint64_t size = room;
    std::copy_n(reinterpret_cast<const char*>(&size), sizeof size, data_.data() + size_at);
  }
}

void VtkFile::append(std::uint64_t number) { data_.append(reinterpret_cast<const char*>(&number), sizeof number); }

void VtkFile::write(const std::filesystem::path& path) {
  OutputFile file(path);
  file.write(xml_);
  file.write(fmt::format("</{}>\n<AppendedData encoding=\"raw\">\n_", kind_));
  file.write(data_);
  file.write("\n</AppendedData>\n</VTKFile>\n");
  file.commit(DiskWait::never);   // one of many frames
}

void open_points(VtkFile& file, std::size_t points, std::size_t vertices, std::size_t triangles, std::string_view on_picture) {
  file.open(
      fmt::format("Piece NumberOfPoints=\"{}\" NumberOfVerts=\"{}\" NumberOfLines=\"0\" NumberOfStrips=\"0\" "
                  "NumberOfPolys=\"{}\"",
                  points, vertices, triangles));
  file.open(on_picture.empty() ? "PointData" : fmt::format("PointData TCoords=\"{}\"", on_picture));
}

void write_places(VtkFile& file, std::span<const double> points) {
  file.open("Points");
  file.array<double>("position_m", 3, points);
  file.close("Points");
}

void write_cells(VtkFile& file, std::string_view kind, std::span<const std::int32_t> corners, std::int32_t each) {
  std::vector<std::int32_t> offsets(corners.size() / static_cast<std::size_t>(each));
  for (std::size_t i = 0; i < offsets.size(); ++i) offsets[i] = static_cast<std::int32_t>(i + 1) * each;
  file.open(kind);
  file.array<std::int32_t>("connectivity", 1, corners);
  file.array<std::int32_t>("offsets", 1, offsets);
  file.close(kind);
}

}   // namespace stickslip
