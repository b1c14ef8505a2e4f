// Colours and pictures: <texture>, <material>, rgba.
#include <fmt/format.h>

#include "import/mjcf/mjcf.h"

namespace stickslip::robot::mjcf {

namespace {

/// What is not seen at all is shown as if nothing was said: here everything that touches is seen.
std::optional<Colour> rgba_of(const Element& e) {
  const auto rgba = e.numbers("rgba", 4, 4);
  if (!rgba || !((*rgba)[3] > 0)) return std::nullopt;
  return colour_of_parts((*rgba)[0], (*rgba)[1], (*rgba)[2], (*rgba)[3]);
}

const Look* look_named(const Model& model, const Element& e) {
  const std::string* name = e.find("material");
  if (!name) return nullptr;
  const auto look = model.looks.find(*name);
  if (look == model.looks.end()) e.fail("material", fmt::format("There is no material '{}' in <asset>.", *name));
  return &look->second;
}

/// The texture of a material: in an attribute, or in the layer that gives the colour.
const std::string* texture_name(const Element& e) {
  if (const std::string* name = e.find("texture")) return name;
  for (const auto& child : e.node().children)
    if (child->name == "layer" && child->find("role") && *child->find("role") == "rgb") {
      child->used = true;
      return child->find("texture");
    }
  return nullptr;
}

}   // namespace

void read_texture_asset(Model& model, const XmlNode& node) {
  node.used = true;
  const Element e = model.defaults.element(node, "");
  const std::string file = e.word("file", ""), pattern = e.word("builtin", "none"), type = e.word("type", "cube");
  const std::string name = e.word("name", std::filesystem::path(file).stem().string());
  for (const char* read : {"width", "height", "rgb1", "rgb2", "content_type", "colorspace", "nchannel"}) e.find(read);
  e.pass_over({"mark", "markrgb", "random"}, Kind::ignored, "marks on pictures are not drawn.", model.findings);
  e.pass_over({"hflip", "vflip", "gridsize", "gridlayout"}, Kind::ignored, "the picture is taken as it is.", model.findings);
  e.pass_over({"fileright", "fileleft", "fileup", "filedown", "filefront", "fileback"}, Kind::ignored,
              "a picture for every side: the first of them is on all.", model.findings);
  if (type == "skybox")
    return model.findings.add(Kind::ignored, node.line, node.place(), "<texture type=\"skybox\">: only looks.");
  auto texture = std::make_shared<TreeTexture>();
  texture->is_flat = type == "2d";
  std::string picture = file;
  for (const char* side : {"fileright", "fileleft", "fileup", "filedown", "filefront", "fileback"})
    if (picture.empty()) picture = e.word(side, "");
  if (!picture.empty()) {
    texture->file = model.tree.folder / model.compiler.texture_folder / picture;
    if (!std::filesystem::is_regular_file(texture->file))
      e.fail("file", fmt::format("There is no picture '{}'.", texture->file.string()));
  } else if (pattern == "checker" || pattern == "gradient" || pattern == "flat") {
    const auto colour = [&](const char* attribute, double grey) {
      const Vec3 rgb = e.vector(attribute, Vec3::Constant(grey));
      return colour_of_parts(rgb.x(), rgb.y(), rgb.z(), 1);
    };
    texture->pattern = pattern;
    texture->colours = {colour("rgb1", 0.8), colour("rgb2", 0.5)};
  } else {
    return model.findings.add(Kind::ignored, node.line, node.place(), "<texture>: it has neither a file nor a pattern.");
  }
  model.textures[name] = std::move(texture);
}

void read_look_asset(Model& model, const XmlNode& node) {
  node.used = true;
  const Element e = model.defaults.element(node, "");
  Look& look = model.looks[e.word("name", "")];
  look.colour = rgba_of(e);
  const auto repeat = e.numbers("texrepeat", 2, 2).value_or(std::vector<double>{1, 1});
  const bool uniform = e.truth("texuniform", false);
  if (const std::string* name = texture_name(e)) {
    const auto found = model.textures.find(*name);
    if (found == model.textures.end()) {
      model.findings.add(Kind::ignored, node.line, node.place(),
                         fmt::format("<material texture>: there is no texture '{}' that can be shown.", *name));
    } else if (!(repeat[0] > 0 && repeat[1] > 0)) {
      e.fail("texrepeat", "It must be greater than 0.");
    } else {
      auto texture = std::make_shared<TreeTexture>(*found->second);
      if (texture->is_flat && uniform) texture->size = {1 / repeat[0], 1 / repeat[1]};
      else if (texture->is_flat) texture->repeat = {repeat[0], repeat[1]};
      look.texture = std::move(texture);
    }
  }
  for (const char* looks : {"emission", "specular", "shininess", "reflectance", "metallic", "roughness"}) e.find(looks);
  for (const auto& child : node.children)
    if (!child->used) account_for(*child, model.findings, Kind::ignored, "only pictures of colours are taken.");
}

void give_look(Model& model, const Element& e, TreePart& part) {
  const Look* look = look_named(model, e);
  const std::optional<Colour> own = rgba_of(e);
  part.colour = own || !look ? own : look->colour;
  if (!look || !look->texture) return;
  part.texture = look->texture;
  if (e.word("type", "") != "plane" || look->texture->size[0] > 0) return;
  // Copies on a plane of a given size, which here has none.
  const auto size = e.numbers("size", 1, 3).value_or(std::vector<double>{});
  if (size.size() < 2 || !(size[0] > 0 && size[1] > 0)) return;
  auto texture = std::make_shared<TreeTexture>(*look->texture);
  for (std::size_t k = 0; k < 2; ++k) texture->size[k] = 2 * size[k] / texture->repeat[k];
  part.texture = std::move(texture);
}

}   // namespace stickslip::robot::mjcf
