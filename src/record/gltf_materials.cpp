#include "record/gltf_materials.h"

#include <cmath>

namespace stickslip::glb {

namespace {

Json linear_colour(std::uint32_t rgb) {
  Json colour = Json::array();
  for (const int shift : {16, 8, 0}) colour.push_back(linear_light(static_cast<double>((rgb >> shift) & 0xff) / 255));
  colour.push_back(1);
  return colour;
}

/// Calm and apart from each other; the same as in the viewer. What is fixed is greyer.
std::uint32_t colour_of(std::uint32_t material, bool fixed) {
  static constexpr std::uint32_t palette[] = {0x6f9bc4, 0xd4a373, 0x86b58c, 0xc98b8b, 0x9a8fc0, 0x7fb5b5, 0xc4b36a, 0xb58ca8};
  const std::uint32_t colour = palette[material % std::size(palette)], grey = 0xb9c0c7;
  if (!fixed) return colour;
  std::uint32_t mixed = 0;
  for (const int shift : {16, 8, 0}) mixed |= ((((colour >> shift) & 0xff) + 3 * ((grey >> shift) & 0xff)) / 4) << shift;
  return mixed;
}

}   // namespace

float linear_light(double s) { return static_cast<float>(s <= 0.04045 ? s / 12.92 : std::pow((s + 0.055) / 1.055, 2.4)); }

std::uint32_t Materials::find_or_add_own(std::optional<std::size_t> image, bool clear, bool open) {
  const auto [place, is_new] = number_of_own_.try_emplace({image, clear, open}, static_cast<std::uint32_t>(list_.size()));
  if (!is_new) return place->second;
  Json surface = {{"metallicFactor", 0}, {"roughnessFactor", 0.7f}};
  if (image) surface["baseColorTexture"] = {{"index", *image}};
  Json material = {{"name", image ? "own picture" : "own colours"}, {"pbrMetallicRoughness", std::move(surface)}};
  if (clear) material["alphaMode"] = "BLEND";
  if (open) material["doubleSided"] = true;
  list_.push_back(std::move(material));
  return place->second;
}

std::uint32_t Materials::find_or_add(const World& world, MaterialId id, Look look) {
  const auto [place, is_new] = number_.try_emplace({id.index, look}, static_cast<std::uint32_t>(list_.size()));
  if (!is_new) return place->second;
  const bool fixed = look == Look::fixed;
  Json material = {
      {"name", world.materials[id].name + (fixed ? " (fixed)" : "")},
      {"pbrMetallicRoughness",
       {{"baseColorFactor", linear_colour(colour_of(id.index, fixed))}, {"metallicFactor", 0}, {"roughnessFactor", 0.7f}}}};
  if (look == Look::two_sided) material["doubleSided"] = true;
  list_.push_back(std::move(material));
  return place->second;
}

}   // namespace stickslip::glb
