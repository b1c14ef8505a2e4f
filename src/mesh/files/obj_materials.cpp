#include "mesh/files/obj_materials.h"

#include "mesh/files/text.h"
#include "stickslip/math/error.h"

namespace stickslip::mesh_file {

namespace {

/// Of "-s 1 1 1 wood.png" the last word; names without options may have spaces.
std::string_view file_of_map(std::string_view rest) {
  if (!rest.starts_with('-')) return rest;
  const std::size_t space = rest.find_last_of(" \t");
  return space == rest.npos ? std::string_view() : rest.substr(space + 1);
}

void read_colour(Text& text, SurfaceLook& look) {
  std::array<float, 4> colour = {1, 1, 1, look.colour ? (*look.colour)[3] : 1};
  try {
    for (int k = 0; k < 3; ++k) colour[k] = static_cast<float>(text.number_in_line("a colour"));
    look.colour = colour;
  } catch (const Error&) {   // a spectrum, or damaged: for the eye only
  }
}

}   // namespace

std::map<std::string, SurfaceLook, std::less<>> read_obj_materials(std::string_view bytes,
                                                                   const std::filesystem::path& folder) {
  std::map<std::string, SurfaceLook, std::less<>> surfaces;
  SurfaceLook* current = nullptr;
  Text text(bytes);
  do {
    const std::string_view word = text.word_in_line();
    if (word == "newmtl") current = &surfaces[std::string(text.rest_of_line())];
    else if (!current) continue;
    else if (word == "Kd") read_colour(text, *current);
    else if (word == "map_Kd")
      if (const std::string_view file = file_of_map(text.rest_of_line()); !file.empty())
        current->picture = beside(folder, file);
  } while (text.next_line());
  return surfaces;
}

}   // namespace stickslip::mesh_file
