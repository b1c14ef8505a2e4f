#include "scene/overrides.h"

#include "stickslip/math/error.h"

namespace stickslip::document {

namespace {

std::string unescape(const std::string& token, const std::string& pointer) {
  std::string key;
  for (std::size_t i = 0; i < token.size(); ++i) {
    if (token[i] != '~') {
      key += token[i];
      continue;
    }
    const char next = i + 1 < token.size() ? token[++i] : ' ';
    if (next != '0' && next != '1') {
      throw Error(fmt::format("'{}' is not a JSON pointer. Write ~0 for '~' and ~1 for '/' in a key.", pointer));
    }
    key += next == '0' ? '~' : '/';
  }
  return key;
}

bool is_index(const std::string& key) {
  return !key.empty() && key.size() < 10 && key.find_first_not_of("0123456789") == key.npos && (key == "0" || key[0] != '0');
}

/// The entry of an array, appended for "-".
Json& entry(Json& array, const std::string& key, const std::string& pointer, const std::string& parent) {
  if (key == "-") return array.emplace_back();
  if (!is_index(key) || std::stoul(key) >= array.size()) {
    throw Error(fmt::format("Cannot set '{}': '{}' is an array and has no entry '{}'. {}", pointer, parent, key,
                            array.empty() ? "It is empty; use '-' to append."
                                          : fmt::format("Its entries are 0 to {}; use '-' to append.", array.size() - 1)));
  }
  return array[std::stoul(key)];
}

}   // namespace

std::vector<std::string> split_pointer(const std::string& pointer) {
  if (pointer.empty() || pointer[0] != '/') {
    throw Error(fmt::format("'{}' is not a JSON pointer. It starts with '/', as in /step/h.", pointer));
  }
  std::vector<std::string> keys;
  for (std::size_t begin = 1; begin <= pointer.size();) {
    const std::size_t end = std::min(pointer.find('/', begin), pointer.size());
    keys.push_back(unescape(pointer.substr(begin, end - begin), pointer));
    begin = end + 1;
  }
  if (keys.back().empty()) throw Error(fmt::format("'{}' ends without a key. Name one, as in /step/h.", pointer));
  return keys;
}

Json override_value(const Override& change) {
  Json value = Json::parse(change.value, nullptr, false);
  if (!value.is_discarded()) return parse_json(change.value, change.pointer);   // again: keys once, depth
  value = change.value;
  try {
    (void)value.dump();
  } catch (const nlohmann::detail::exception&) {
    throw Error(fmt::format("The value for '{}' is not UTF-8 text.", change.pointer));
  }
  return value;
}

void apply_override(Json& document, const Override& change) {
  const std::vector<std::string> keys = split_pointer(change.pointer);
  Json value = override_value(change);
  Json* here = &document;
  std::string so_far;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const std::string& key = keys[i];
    if (here->is_array()) {
      here = &entry(*here, key, change.pointer, so_far);
    } else if (here->is_object()) {
      const bool missing = !here->contains(key);
      here = &(*here)[key];
      if (missing && i + 1 < keys.size()) {
        if (keys[i + 1] == "-" || is_index(keys[i + 1])) {
          throw Error(
              fmt::format("Cannot set '{}': '{}/{}' is not in the document. Set it as a whole.", change.pointer, so_far, key));
        }
        *here = Json::object();
      }
    } else {
      throw Error(fmt::format("Cannot set '{}': '{}' is {}, which holds no keys. Set it as a whole.", change.pointer, so_far,
                              shown(*here)));
    }
    so_far += "/" + key;
  }
  *here = std::move(value);
}

}   // namespace stickslip::document
