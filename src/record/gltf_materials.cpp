#include "record/gltf_materials.h"

#include <cmath>

namespace stickslip::glb {

namespace {

Json linear_colour(Colour c) {
  Json colour = Json::array();
  for (const int part : {c.red, c.green, c.blue}) colour.push_back(linear_light(part / 255.0));
  colour.push_back(static_cast<float>(c.opacity / 255.0));
  return colour;
}

/// Calm and apart from each other; the same as in the viewer. What is fixed is greyer.
Colour colour_of(std::uint32_t material, bool fixed) {
  static constexpr std::uint32_t palette[] = {0x6f9bc4, 0xd4a373, 0x86b58c, 0xc98b8b, 0x9a8fc0, 0x7fb5b5, 0xc4b36a, 0xb58ca8};
  const std::uint32_t colour = palette[material % std::size(palette)], grey = 0xb9c0c7;
  const auto part = [&](int shift) {
    const std::uint32_t c = (colour >> shift) & 0xff, g = (grey >> shift) & 0xff;
    return static_cast<std::uint8_t>(fixed ? (c + 3 * g) / 4 : c);
  };
  return {part(16), part(8), part(0)};
}

}   // namespace

float linear_light(double s) { return static_cast<float>(s <= 0.04045 ? s / 12.92 : std::pow((s + 0.055) / 1.055, 2.4)); }

std::uint32_t Materials::find_or_add_own(std::optional<std::size_t> image, bool clear, bool open, std::optional<Colour> tint) {
  const std::string said = tint ? colour_name(*tint) : "";
  const auto [place, is_new] = number_of_own_.try_emplace({image, clear, open, said}, static_cast<std::uint32_t>(list_.size()));
  if (!is_new) return place->second;
  Json surface = {{"metallicFactor", 0}, {"roughnessFactor", 0.7f}};
  if (tint) surface["baseColorFactor"] = linear_colour(*tint);
  if (image) surface["baseColorTexture"] = {{"index", *image}};
  Json material = {{"name", (image ? "own picture" : "own colours") + (tint ? " " + said : "")},
                   {"pbrMetallicRoughness", std::move(surface)}};
  if (clear || (tint && tint->opacity < 255)) material["alphaMode"] = "BLEND";
  if (open) material["doubleSided"] = true;
  list_.push_back(std::move(material));
  return place->second;
}

std::uint32_t Materials::find_or_add(const World& world, const Collider& collider, Look look) {
  const std::optional<Colour> own = collider.colour ? collider.colour : world.materials[collider.material].colour;
  const std::string said = own ? colour_name(*own) : "";
  const auto [place, is_new] =
      number_.try_emplace({collider.material.index, look, said}, static_cast<std::uint32_t>(list_.size()));
  if (!is_new) return place->second;
  const bool fixed = look == Look::fixed;
  const Colour colour = own.value_or(colour_of(collider.material.index, fixed));
  Json material = {
      {"name", world.materials[collider.material].name + (fixed ? " (fixed)" : "") + (collider.colour ? " " + said : "")},
      {"pbrMetallicRoughness", {{"baseColorFactor", linear_colour(colour)}, {"metallicFactor", 0}, {"roughnessFactor", 0.7f}}}};
  if (colour.opacity < 255) material["alphaMode"] = "BLEND";
  if (look == Look::two_sided) material["doubleSided"] = true;
  list_.push_back(std::move(material));
  return place->second;
}

}   // namespace stickslip::glb
