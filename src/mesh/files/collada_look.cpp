#include "mesh/files/collada_look.h"

#include "mesh/files/text.h"
#include "stickslip/math/error.h"

namespace stickslip::mesh_file {

namespace {

/// The element at the end of a path of names; null if one is missing.
const Xml* inside(const Xml* element, std::initializer_list<const char*> names) {
  for (const char* name : names) element = element ? element->FirstChildElement(name) : nullptr;
  return element;
}

const Xml* by_id(const XmlIds& ids, std::string_view reference, const char* kind) {
  const auto found = ids.find(reference.substr(reference.starts_with('#') ? 1 : 0));
  return found != ids.end() && is_named(*found->second, kind) ? found->second : nullptr;
}

std::string_view text_of(const Xml* element) { return element && element->GetText() ? element->GetText() : ""; }

const Xml* material_of(const XmlIds& ids, const Xml* instance, std::string_view symbol) {
  const Xml* bound = inside(instance, {"bind_material", "technique_common", "instance_material"});
  for (; bound; bound = bound->NextSiblingElement("instance_material"))
    if (attribute(*bound, "symbol") == symbol) return by_id(ids, attribute(*bound, "target"), "material");
  return by_id(ids, symbol, "material");
}

/// What a parameter of an effect holds, such as the sampler of a texture.
const Xml* parameter(const Xml& profile, std::string_view name, const char* kind) {
  for (const Xml* p = profile.FirstChildElement("newparam"); p; p = p->NextSiblingElement("newparam"))
    if (attribute(*p, "sid") == name) return p->FirstChildElement(kind);
  return nullptr;
}

/// The image of a texture: of version 1.4 through sampler and surface, of 1.5 through the sampler, or named at once.
const Xml* image_of(const XmlIds& ids, const Xml& profile, std::string_view texture) {
  const Xml* sampler = parameter(profile, texture, "sampler2D");
  if (!sampler) return by_id(ids, texture, "image");
  if (const Xml* image = sampler->FirstChildElement("instance_image")) return by_id(ids, attribute(*image, "url"), "image");
  const Xml* surface = parameter(profile, Text(text_of(sampler->FirstChildElement("source"))).word(), "surface");
  return by_id(ids, Text(text_of(inside(surface, {"init_from"}))).word(), "image");
}

/// "file:///a/b%20c.png" is "/a/b c.png".
std::string plain_address(std::string_view address) {
  if (address.starts_with("file://")) address.remove_prefix(7);
  std::string path;
  for (std::size_t i = 0; i < address.size(); ++i) {
    if (address.substr(i, 3) == "%20") path += ' ', i += 2;
    else path += address[i];
  }
  return path;
}

std::optional<std::array<float, 4>> colour_in(const Xml& element) {
  std::array<float, 4> colour = {1, 1, 1, 1};
  Text text(text_of(&element));
  try {
    for (int k = 0; k < 3; ++k) colour[k] = static_cast<float>(text.number("a colour"));
  } catch (const Error&) {
    return std::nullopt;
  }
  return colour;
}

}   // namespace

SurfaceLook collada_look(const XmlIds& ids, const Xml* instance, std::string_view symbol, const std::filesystem::path& folder) {
  SurfaceLook look;
  const Xml* material = symbol.empty() ? nullptr : material_of(ids, instance, symbol);
  const Xml* use = inside(material, {"instance_effect"});
  const Xml* profile = use ? inside(by_id(ids, attribute(*use, "url"), "effect"), {"profile_COMMON"}) : nullptr;
  for (const char* shading : {"phong", "lambert", "blinn"}) {
    const Xml* diffuse = inside(profile, {"technique", shading, "diffuse"});
    if (!diffuse) continue;
    if (const Xml* colour = diffuse->FirstChildElement("color")) look.colour = colour_in(*colour);
    const Xml* texture = diffuse->FirstChildElement("texture");
    const Xml* image = texture ? image_of(ids, *profile, attribute(*texture, "texture")) : nullptr;
    const Xml* from = inside(image, {"init_from"});
    const Xml* reference = inside(from, {"ref"});   // of version 1.5
    if (const std::string address = plain_address(text_of(reference ? reference : from)); !address.empty())
      look.picture = beside(folder, address);
  }
  return look;
}

}   // namespace stickslip::mesh_file
