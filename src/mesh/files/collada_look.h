// Colours and pictures of COLLADA files: from the material that a geometry is bound to, through its effect, to an image.
#pragma once

#include <tinyxml2.h>

#include <cstring>
#include <map>

#include "mesh/files/surface_look.h"

namespace stickslip::mesh_file {

using Xml = tinyxml2::XMLElement;
using XmlIds = std::map<std::string, const Xml*, std::less<>>;

inline std::string_view attribute(const Xml& element, const char* name) {
  const char* value = element.Attribute(name);
  return value ? value : "";
}

inline bool is_named(const Xml& element, const char* name) { return std::strcmp(element.Name(), name) == 0; }

/// The look of the triangles that name a material by `symbol`. What is missing or not understood gives no look, and no error.
/// @param instance where the geometry stands in the scene; null: in a file without one
SurfaceLook collada_look(const XmlIds&, const Xml* instance, std::string_view symbol, const std::filesystem::path& folder);

}   // namespace stickslip::mesh_file
