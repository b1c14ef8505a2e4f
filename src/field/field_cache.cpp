#include "stickslip/field/field_cache.h"

#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include "field/field_builder.h"
#include "stickslip/math/error.h"
#include "store/staged_file.h"

namespace stickslip {

namespace {

constexpr char kFieldMagic[] = "stickslip field 1\n";   ///< with the version of the layout
constexpr std::uint64_t kByteOrder = 0x0102030405060708u;
constexpr std::uint64_t kHashStart = 0xcbf29ce484222325u;

/// Eight bytes at a time, each mixed into all bits that follow.
std::uint64_t hash_bytes(const void* data, std::size_t size, std::uint64_t hash) {
  const auto* bytes = static_cast<const unsigned char*>(data);
  const auto mix = [&](std::uint64_t word) {
    hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 32;
  };
  for (; size >= 8; size -= 8, bytes += 8) {
    std::uint64_t word;
    std::memcpy(&word, bytes, 8);
    mix(word);
  }
  std::uint64_t rest = size;
  for (std::size_t i = 0; i < size; ++i) rest = rest << 8 | bytes[i];
  mix(rest);
  return hash;
}

/// One list of what stands in a file serves reading and writing.
template <class Archive, class Arrays>
void field_contents(Archive& archive, Arrays& a) {
  for (int axis = 0; axis < 3; ++axis) {
    archive.one(a.lower[axis]), archive.one(a.bounds.lower[axis]), archive.one(a.bounds.upper[axis]);
    archive.one(a.dims[axis]);
  }
  archive.one(a.index_cell), archive.one(a.band), archive.one(a.error_bound);
  archive.many(a.index), archive.many(a.nodes), archive.many(a.blocks), archive.many(a.float_samples);
}

class FieldWriter {
 public:
  template <class T>
  void one(const T& value) {
    append(&value, sizeof value);
  }
  template <class T>
  void many(const std::vector<T>& values) {
    one(static_cast<std::uint64_t>(values.size()));
    append(values.data(), values.size() * sizeof(T));
  }
  const std::string& bytes() const { return bytes_; }

 private:
  void append(const void* data, std::size_t size) { bytes_.append(static_cast<const char*>(data), size); }
  std::string bytes_;
};

class FieldReader {
 public:
  explicit FieldReader(std::string_view bytes) : rest_(bytes) {}
  template <class T>
  void one(T& value) {
    take(&value, sizeof value);
  }
  template <class T>
  void many(std::vector<T>& values) {
    std::uint64_t count = 0;
    one(count);
    if (!good_ || count > rest_.size() / sizeof(T)) {
      good_ = false;
      return;
    }
    values.resize(count);
    take(values.data(), count * sizeof(T));
  }
  bool complete() const { return good_ && rest_.empty(); }

 private:
  void take(void* data, std::size_t size) {
    good_ = good_ && size <= rest_.size();
    if (!good_ || size == 0) return;
    std::memcpy(data, rest_.data(), size);
    rest_.remove_prefix(size);
  }
  std::string_view rest_;
  bool good_ = true;
};

/// What a file begins with: if a byte differs, it is of something else.
std::string field_header(std::uint64_t mesh_key, const FieldOptions& options) {
  FieldWriter header;
  header.one(kByteOrder), header.one(mesh_key), header.one(static_cast<std::int64_t>(options.resolution));
  header.one(options.error), header.one(options.band), header.one(static_cast<std::int64_t>(options.sign));
  return kFieldMagic + header.bytes();
}

/// Whether sizes and numbers of the arrays belong together.
bool consistent(const FieldArrays& a) {
  const auto entry = [&](std::uint32_t e) {
    return (e & FieldArrays::kNumber) < (e >= FieldArrays::kNode ? a.nodes.size() : a.blocks.size());
  };
  bool good = a.dims[0] > 0 && a.dims[1] > 0 && a.dims[2] > 0 &&
              static_cast<std::size_t>(a.dims[0]) * a.dims[1] * a.dims[2] == a.index.size() &&
              a.float_samples.size() == a.blocks.size() * FieldArrays::kBlockSize;
  for (const std::uint32_t e : a.index) good = good && entry(e);
  for (std::size_t n = 0; n < a.nodes.size(); ++n)   // nodes stand before those below them, so that every descent ends
    for (const std::uint32_t e : a.nodes[n])
      good = good && entry(e) && (e < FieldArrays::kNode || (e & FieldArrays::kNumber) > n);
  return good;
}

}   // namespace

std::uint64_t field_key(const TriangleMesh& mesh) {
  const std::uint64_t vertices = hash_bytes(mesh.vertices.data(), mesh.vertices.size() * sizeof(Vec3), kHashStart);
  return hash_bytes(mesh.triangles.data(), mesh.triangles.size() * sizeof(mesh.triangles[0]), vertices);
}

void write_field(const std::filesystem::path& path, const SampledField& field, std::uint64_t mesh_key,
                 const FieldOptions& options) {
  FieldWriter body;
  field_contents(body, field.arrays());
  const std::string header = field_header(mesh_key, options);
  const std::uint64_t hash = hash_bytes(body.bytes().data(), body.bytes().size(), kHashStart);
  StagedFile staged(path);
  {
    std::ofstream out(staged.path(), std::ios::binary);
    out << header << body.bytes();
    out.write(reinterpret_cast<const char*>(&hash), sizeof hash);
    out.flush();
    if (!out)
      throw Error("The field cannot be written. Is there room, and may files be made in this folder?").in(path.string());
  }
  staged.commit();
}

std::optional<SampledField> read_field(const std::filesystem::path& path, std::uint64_t mesh_key, const FieldOptions& options) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return std::nullopt;
  const std::string header = field_header(mesh_key, options);
  std::string found(header.size(), '\0');
  if (!in.read(found.data(), static_cast<std::streamsize>(found.size())) || found != header) return std::nullopt;
  const std::string rest(std::istreambuf_iterator<char>(in), {});
  std::uint64_t hash = 0;
  if (rest.size() < sizeof hash) return std::nullopt;
  std::memcpy(&hash, rest.data() + rest.size() - sizeof hash, sizeof hash);
  const std::string_view body(rest.data(), rest.size() - sizeof hash);
  if (hash_bytes(body.data(), body.size(), kHashStart) != hash) return std::nullopt;
  FieldArrays arrays;
  FieldReader reader(body);
  field_contents(reader, arrays);
  if (!reader.complete() || !consistent(arrays)) return std::nullopt;
  return SampledField(std::move(arrays));
}

CachedField cached_field(const MeshSurface& surface, const std::filesystem::path& mesh_file, const FieldOptions& options) {
  const Aabb& box = surface.tree().bounds();
  const FieldOptions complete = surface.tree().empty() ? options : completed(options, (box.upper - box.lower).maxCoeff());
  std::filesystem::path path = mesh_file;
  path += ".field";
  const std::uint64_t sum = field_key(surface.mesh());
  if (std::optional<SampledField> kept = read_field(path, sum, complete)) return {std::move(*kept), true, false};
  CachedField result{SampledField(surface, complete), false, false};
  try {
    write_field(path, result.field, sum, complete);
    result.written = true;
  } catch (const Error&) {
    // A folder that cannot be written to costs time at the next start, nothing else.
  }
  return result;
}

}   // namespace stickslip
