#include "mesh/files/surface_look.h"

#include <algorithm>

namespace stickslip::mesh_file {

std::filesystem::path beside(const std::filesystem::path& folder, std::string_view name) {
  std::string text(name);
  std::replace(text.begin(), text.end(), '\\', '/');
  const std::filesystem::path path(text);
  if (path.is_absolute() || text.find(':') != text.npos) return folder / path.filename();
  return folder / path;
}

std::int64_t begin_surface(Builder& builder, const SurfaceLook& look) {
  builder.picture = look.picture.empty() ? 0 : builder.add_picture(look.picture);
  if (builder.picture > 0 || !look.colour) return -1;
  builder.colours.push_back(*look.colour);
  return static_cast<std::int64_t>(builder.colours.size()) - 1;
}

}   // namespace stickslip::mesh_file
