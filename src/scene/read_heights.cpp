#include "scene/read_heights.h"

#include "stickslip/friction/surface.h"
#include "stickslip/mesh/height_field.h"

namespace stickslip::document {

namespace {

/// Grey is the mean of red, green and blue, 0 … 1.
HeightGrid heights_of(const Picture& picture) {
  HeightGrid grid{picture.height(), picture.width(), {}};
  const std::vector<float>& rgb = picture.rgb();
  for (std::size_t i = 0; i < rgb.size(); i += 3) grid.heights.push_back((double{rgb[i]} + rgb[i + 1] + rgb[i + 2]) / 3);
  return grid;
}

HeightGrid read_height_file(Fields& fields, const std::filesystem::path& folder) {
  const Place place = fields.get("file");
  std::string name;
  read(place, name);
  const std::filesystem::path file = folder / name;
  const std::string ending = file.extension().string();
  try {
    if (ending == ".png") return heights_of(Picture::read_png(file));
    if (ending == ".csv" || ending == ".txt") return read_height_table(file);
  } catch (const Error& e) {
    place.fail(e.what());
  }
  if (ending != ".raw")
    place.fail(
        fmt::format("'{}' is not a file of heights. Give a picture (.png), a table (.csv, .txt) or samples (.raw).", name));
  const int rows = fields.required<int>("rows"), columns = fields.required<int>("columns");
  for (const auto& [key, count] : {std::pair{"rows", rows}, {"columns", columns}})
    if (count < 2) fields.get(key).fail(fmt::format("{} {} make no surface. Give at least 2.", count, key));
  const auto sample = static_cast<HeightSample>(read_choice(fields.get("sample"), {"uint8", "uint16", "float32"}));
  try {
    return read_raw_heights(file, rows, columns, sample);
  } catch (const Error& e) {
    place.fail(e.what());
  }
}

HeightGrid read_height_rows(const Place& place) {
  std::vector<std::vector<double>> rows;
  read(place, rows);
  HeightGrid grid{static_cast<int>(rows.size()), rows.empty() ? 0 : static_cast<int>(rows[0].size()), {}};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].size() != rows[0].size())
      Place(place.value()[i], place, std::to_string(i))
          .fail(fmt::format("This row has {} heights, the first has {}. All rows must be equally long.", rows[i].size(),
                            rows[0].size()));
    grid.heights.insert(grid.heights.end(), rows[i].begin(), rows[i].end());
  }
  return grid;
}

}   // namespace

TriangleMesh read_heights(Fields& fields, const std::filesystem::path& folder) {
  constexpr double kBase = 0.1;   // of the shorter side
  fields.not_both("heights", "file");
  HeightGrid grid = fields.find("file") ? read_height_file(fields, folder) : read_height_rows(fields.get("heights"));
  double scale = 1;
  if (fields.optional("scale", scale) && !(std::isfinite(scale) && scale != 0))
    fields.get("scale").fail(fmt::format("{} is not a scale. Give metres per unit of the heights, not 0.", scale));
  for (double& z : grid.heights) z *= scale;
  const Place size = fields.get("size");
  std::vector<double> sides;
  read(size, sides);
  if (sides.size() != 2)
    size.fail(fmt::format("{} has {} entries. Give two lengths: [x, y].", shown(size.value()), sides.size()));
  HeightField field{grid.rows, grid.columns, std::move(grid.heights), Vec2(sides[0], sides[1]), 0};
  field.base = kBase * field.size.minCoeff();
  fields.optional("base", field.base);
  return fields.place().within([&] { return triangle_mesh(field); });
}

}   // namespace stickslip::document
