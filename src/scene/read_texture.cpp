#include "scene/read_texture.h"

#include "scene/read_file.h"

namespace stickslip::document {

namespace {

constexpr std::size_t kLargestPicture = std::size_t{64} << 20;   ///< replays hold it as text, browsers as pixels

void read_picture_file(const Place& place, const std::filesystem::path& folder, Texture& texture) {
  read(place, texture.name);
  place.within([&] {
    const std::filesystem::path file = folder / texture.name;
    texture.picture = read_file(file, "Name a PNG or JPEG picture.");
    if (texture.picture.size() > kLargestPicture)
      throw Error(fmt::format("The picture takes {} MB, and at most {} are shown. Make it smaller.",
                              texture.picture.size() >> 20, kLargestPicture >> 20))
          .in(file.string());
  });
}

void read_pattern(Fields& fields, Texture& texture) {
  static const std::vector<std::string> names = {"checker", "gradient", "flat"};
  const std::size_t pattern = read_choice(fields.get("pattern"), names);
  std::vector<std::string> given;
  Colour colours[2] = {{230, 230, 230}, {90, 100, 110}};
  if (const auto list = fields.find("colors")) {
    read(*list, given);
    if (given.empty() || given.size() > 2) list->fail(fmt::format("{} colours are given. Give one or two.", given.size()));
    for (std::size_t i = 0; i < given.size(); ++i)
      Place(list->value()[i], *list, std::to_string(i)).within([&] { colours[i] = colour_from_name(given[i]); });
  }
  texture.name = names[pattern];
  texture.picture = pattern_picture(static_cast<TexturePattern>(pattern), colours[0], colours[1]);
}

/// One number for both, or two.
void read_pair(Fields& fields, std::string_view key, std::array<double, 2>& pair) {
  const auto place = fields.find(key);
  if (!place) return;
  if (place->value().is_number()) {
    read(*place, pair[0]);
    pair[1] = pair[0];
  } else {
    Vec2 both;
    read(*place, both);
    pair = {both.x(), both.y()};
  }
  for (const double x : pair)
    if (!(x > 0)) place->fail(fmt::format("{:g} is not greater than 0.", x));
}

}   // namespace

void read_texture(Fields& owner, SharedTexture& shared, const std::filesystem::path& folder) {
  const auto place = owner.find("texture");
  if (!place) return;
  Texture texture;
  if (place->value().is_string()) {
    read_picture_file(*place, folder, texture);
  } else if (place->value().is_object()) {
    read_object(*place, "a texture", [&](Fields& fields) {
      fields.not_both("file", "pattern");
      fields.not_both("size", "repeat");
      if (const auto file = fields.find("file")) read_picture_file(*file, folder, texture);
      else read_pattern(fields, texture);
      read_pair(fields, "size", texture.size);
      read_pair(fields, "repeat", texture.repeat);
    });
  } else {
    place->wrong_type("Name a picture, or give an object with \"file\" or \"pattern\".");
  }
  place->within([&] { validate(texture); });
  shared = std::make_shared<const Texture>(std::move(texture));
}

}   // namespace stickslip::document
