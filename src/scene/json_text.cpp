#include <algorithm>

#include "scene/json.h"
#include "stickslip/math/error.h"

namespace stickslip::document {
namespace {

constexpr std::size_t kDeepest = 64;

/// Builds the document while the text is read, so that a key given twice and a number too large can be named by place.
class Builder {
 public:
  Builder(std::string_view text, Json& root) : text_(text), root_(root) {}

  bool null() { return value(nullptr); }
  bool boolean(bool v) { return value(v); }
  bool number_integer(Json::number_integer_t v) { return value(v); }
  bool number_unsigned(Json::number_unsigned_t v) { return value(v); }
  bool number_float(Json::number_float_t v, const std::string&) { return value(v); }
  bool string(std::string& v) { return value(std::move(v)); }
  bool binary(Json::binary_t&) { return false; }

  bool start_object(std::size_t) { return open(Json::object()); }
  bool start_array(std::size_t) { return open(Json::array()); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }

  bool key(std::string& k) {
    if (open_.back()->contains(k)) {
      throw located(Error(fmt::format("The key '{}' is given twice. Keep one of them.", k)), k);
    }
    key_ = std::move(k);
    return true;
  }

  bool parse_error(std::size_t position, const std::string& token, const nlohmann::detail::exception& e) {
    if (e.id == 406) {
      throw located(Error(fmt::format("{} is too large: numbers must stay below about 1.8e308.", token)), next_key());
    }
    const std::size_t at = std::min(position > 0 ? position - 1 : 0, text_.size());
    const std::string_view before = text_.substr(0, at);
    const auto line = 1 + std::count(before.begin(), before.end(), '\n');
    const std::size_t column = at - (before.rfind('\n') == before.npos ? 0 : before.rfind('\n') + 1) + 1;
    std::string said = e.what();
    if (const auto dash = said.find(" - "); dash != said.npos) said.erase(0, dash + 3);
    if (said.starts_with("invalid literal") && at < text_.size()) {
      // The parser shows its last token with whatever white space stood before: the character itself says more.
      const auto expected = said.find("; expected");
      said = fmt::format("unexpected {}{}", shown(Json(std::string(1, text_[at]))),
                         expected == said.npos ? "" : said.substr(expected));
    }
    const bool comment = at < text_.size() && (text_[at] == '/' || (at > 0 && text_[at - 1] == '/'));
    throw Error(fmt::format("line {}, column {}: this is not JSON: {}.{}", line, column, said,
                            comment ? " JSON has no comments; use \"description\"." : ""));
  }

 private:
  Json* place(Json v) {
    if (open_.empty()) return &(root_ = std::move(v));
    Json& parent = *open_.back();
    if (parent.is_array()) return &parent.emplace_back(std::move(v));
    return &(parent[key_] = std::move(v));
  }
  bool value(Json v) {
    place(std::move(v));
    return true;
  }
  bool open(Json v) {
    if (open_.size() == kDeepest) throw Error(fmt::format("The document is nested more than {} levels deep.", kDeepest));
    if (!open_.empty()) keys_.push_back(next_key());
    open_.push_back(place(std::move(v)));
    return true;
  }
  bool close() {
    open_.pop_back();
    if (!keys_.empty()) keys_.pop_back();
    return true;
  }
  std::string next_key() const {
    if (open_.empty()) return {};
    return open_.back()->is_array() ? std::to_string(open_.back()->size()) : key_;
  }
  Error located(Error e, const std::string& last) const {
    if (!open_.empty()) e.at(last);
    for (auto k = keys_.rbegin(); k != keys_.rend(); ++k) e.at(*k);
    return e;
  }

  std::string_view text_;
  Json& root_;
  std::vector<Json*> open_;         ///< objects and arrays not yet closed
  std::vector<std::string> keys_;   ///< how each of them but the first is reached from the one before
  std::string key_;
};

std::string compact(const Json& v) {
  // Like dump(), with a space after commas and colons.
  if (v.is_object()) {
    std::string text = "{";
    for (const auto& [key, value] : v.items()) {
      text += (text.size() > 1 ? ", " : "") + compact(Json(key)) + ": " + compact(value);
    }
    return text + "}";
  }
  if (v.is_array()) {
    std::string text = "[";
    for (const Json& value : v) text += (text.size() > 1 ? ", " : "") + compact(value);
    return text + "]";
  }
  return v.dump(-1, ' ', false, Json::error_handler_t::replace);
}

void write(const Json& v, std::size_t indent, std::string& out, bool top = false) {
  std::string line = compact(v);
  if (!v.is_structured() || v.empty() || (!top && line.size() + indent <= 116)) {
    out += line;
    return;
  }
  const std::string margin(indent + 2, ' ');
  out += v.is_object() ? "{\n" : "[\n";
  bool first = true;
  for (const auto& [key, value] : v.items()) {
    if (!first) out += ",\n";
    first = false;
    out += margin;
    if (v.is_object()) out += compact(Json(key)) + ": ";
    write(value, indent + 2, out);
  }
  out += '\n' + std::string(indent, ' ') + (v.is_object() ? '}' : ']');
}

}   // namespace

Json parse_json(std::string_view text, const std::string& file) {
  try {
    if (text.find_first_not_of(" \t\r\n") == text.npos) {
      throw Error("The file is empty. A scene is a JSON object with at least \"bodies\".");
    }
    Json root;
    Builder builder(text, root);
    Json::sax_parse(text.begin(), text.end(), &builder);
    return root;
  } catch (Error& e) {
    throw e.in(file);
  }
}

std::string write_json(const Json& v) {
  std::string out;
  write(v, 0, out, true);
  return out + "\n";
}

std::string shown(const Json& v) {
  std::string text = v.is_structured() && v.size() > 64
                         ? std::string(kind_of(v)) + " of " + std::to_string(v.size()) + " entries"
                         : compact(v);
  constexpr std::size_t kLongest = 60;
  if (text.size() > kLongest) {
    std::size_t cut = kLongest;
    while (cut > 0 && (static_cast<unsigned char>(text[cut]) & 0xc0) == 0x80) --cut;   // not inside a UTF-8 sequence
    text = text.substr(0, cut) + " …";
  }
  return text;
}

std::string_view kind_of(const Json& v) {
  if (v.is_null()) return "null";
  if (v.is_boolean()) return "true or false";
  if (v.is_number()) return "a number";
  if (v.is_string()) return "a string";
  return v.is_array() ? "an array" : "an object";
}

}   // namespace stickslip::document
