#include "import/xml.h"

#include <fmt/format.h>
#include <tinyxml2.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>

#include "scene/read_file.h"

namespace stickslip::robot {

namespace {

constexpr int kDeepestInclude = 16;

std::string trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == text.npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1));
}

class Loader {
 public:
  Loader(std::filesystem::path file, bool splice) : main_(std::move(file)), splice_(splice) {}

  std::unique_ptr<XmlNode> load(const std::filesystem::path& path, int depth, std::string* text_out) {
    const std::string text = document::read_file(path, "Name a robot file in it.");
    if (text_out) *text_out = text;
    tinyxml2::XMLDocument document;
    if (document.Parse(text.data(), text.size()) != tinyxml2::XML_SUCCESS) {
      // "Error=XML_ERROR_MISMATCHED_ELEMENT ErrorID=14 (0xe) Line number=3: XMLElement name=link"
      std::string said = document.ErrorName();
      if (said.starts_with("XML_ERROR_")) said.erase(0, 10);
      for (char& c : said) c = c == '_' ? ' ' : static_cast<char>(std::tolower(c));
      const std::string full = document.ErrorStr() ? document.ErrorStr() : "";
      const auto name = full.find("XMLElement name=");
      throw Error(fmt::format("line {}: this is not XML: {}{}. Every element that opens must close.", document.ErrorLineNum(),
                              said, name == full.npos ? "" : fmt::format(" at <{}>", full.substr(name + 16))))
          .in(path.string());
    }
    const tinyxml2::XMLElement* root = document.RootElement();
    if (!root) throw Error("The file holds no element. A robot file has a root element <robot> or <mujoco>.").in(path.string());
    return converted(*root, nullptr, path, depth);
  }

 private:
  std::unique_ptr<XmlNode> converted(const tinyxml2::XMLElement& element, const XmlNode* parent,
                                     const std::filesystem::path& path, int depth) {
    auto node = std::make_unique<XmlNode>();
    node->name = element.Name();
    node->line = element.GetLineNum();
    node->parent = parent;
    if (path != main_) node->file = path.string();
    for (const auto* a = element.FirstAttribute(); a; a = a->Next()) {
      if (node->has(a->Name())) node->fail(fmt::format("The attribute '{}' is given twice. Keep one of them.", a->Name()));
      node->attributes.push_back({a->Name(), a->Value(), a->GetLineNum()});
    }
    for (const auto* c = element.FirstChild(); c; c = c->NextSibling()) {
      if (const auto* text = c->ToText()) node->text += trimmed(text->Value());
      const auto* child = c->ToElement();
      if (!child) continue;
      auto made = converted(*child, node.get(), path, depth);
      if (splice_ && made->name == "include") splice(*node, *made, path, depth);
      else node->children.push_back(std::move(made));
    }
    return node;
  }

  void splice(XmlNode& into, const XmlNode& include, const std::filesystem::path& path, int depth) {
    if (depth >= kDeepestInclude) include.fail("Includes are nested too deep: does a file include itself?");
    const std::filesystem::path file = main_.parent_path() / include.get("file");
    std::unique_ptr<XmlNode> root = include.within([&] { return load(file, depth + 1, nullptr); });
    for (auto& child : root->children) {
      child->parent = &into;
      into.children.push_back(std::move(child));
    }
  }

  std::filesystem::path main_;
  bool splice_;
};

}   // namespace

const std::string* XmlNode::find(std::string_view attribute) const {
  for (const XmlAttribute& a : attributes)
    if (a.name == attribute) {
      a.used = true;
      return &a.value;
    }
  return nullptr;
}

bool XmlNode::has(std::string_view attribute) const {
  return std::any_of(attributes.begin(), attributes.end(), [&](const XmlAttribute& a) { return a.name == attribute; });
}

const std::string& XmlNode::get(std::string_view attribute) const {
  if (const std::string* value = find(attribute)) return *value;
  fail(fmt::format("<{}> needs the attribute '{}'.", name, attribute));
}

const XmlNode* XmlNode::child(std::string_view element) const {
  for (const auto& c : children)
    if (c->name == element) return c.get();
  return nullptr;
}

std::string XmlNode::place() const {
  std::string place = file.empty() ? fmt::format("line {}", line)
                                   : fmt::format("{} line {}", std::filesystem::path(file).filename().string(), line);
  for (const XmlNode* node = this; node && node->parent; node = node->parent)
    for (const XmlAttribute& a : node->attributes)
      if (a.name == (node->name == "default" ? "class" : "name") && !a.value.empty())
        return fmt::format("{}, {} '{}'", place, node->name, a.value);
  return place;
}

void XmlNode::fail(const std::string& message) const {
  Error error(fmt::format("{}: {}", place(), message));
  throw error;
}

void XmlNode::fail(std::string_view attribute, const std::string& message) const {
  std::string shown = std::string(attribute);
  for (const XmlAttribute& a : attributes)
    if (a.name == attribute) shown = fmt::format("{}=\"{}\"", attribute, a.value);
  fail(fmt::format("<{} {}>: {}", name, shown, message));
}

std::vector<double> numbers_of(const XmlNode& node, std::string_view attribute, const std::string& value, std::size_t least,
                               std::size_t most) {
  std::vector<double> numbers;
  const char *p = value.data(), *end = p + value.size();
  const auto is_space = [](char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; };
  while (true) {
    while (p != end && is_space(*p)) ++p;
    if (p == end) break;
    const char* start = p;
    if (*p == '+') ++p;
    double number = 0;
    const auto [rest, error] = std::from_chars(p, end, number);
    if (error != std::errc() || !std::isfinite(number) || (rest != end && !is_space(*rest))) {
      const char* stop = std::find_if(start, end, is_space);
      node.fail(attribute, fmt::format("'{}' is not a finite number.", std::string(start, stop)));
    }
    numbers.push_back(number);
    p = rest;
  }
  if (numbers.size() < least || numbers.size() > most)
    node.fail(attribute, fmt::format("{} number{} instead of {}.", numbers.size(), numbers.size() == 1 ? "" : "s",
                                     least == most ? std::to_string(least) : fmt::format("{} to {}", least, most)));
  return numbers;
}

std::unique_ptr<XmlNode> load_xml(const std::filesystem::path& path, bool splice_includes, std::string* text) {
  try {
    return Loader(path, splice_includes).load(path, 0, text);
  } catch (Error& e) {
    throw e.in(path.string());
  }
}

namespace {

void mark_all(const XmlNode& node) {
  node.used = node.text_used = true;
  for (const XmlAttribute& a : node.attributes) a.used = true;
  for (const auto& child : node.children) mark_all(*child);
}

}   // namespace

void account_for(const XmlNode& node, Findings& findings, ImportFinding::Kind kind, const std::string& what) {
  mark_all(node);
  findings.add(kind, node.line, node.place(),
               fmt::format("<{}>{}: {}", node.name, node.children.empty() ? "" : " and what is in it", what));
}

void report_unread(const XmlNode& node, Findings& findings) {
  if (!node.used) {
    account_for(node, findings, Kind::not_supported, "not understood.");
    return;
  }
  for (const XmlAttribute& a : node.attributes)
    if (!a.used)
      findings.add(Kind::not_supported, a.line, node.place(),
                   fmt::format("<{} {}>: this attribute is not understood.", node.name, a.name));
  if (!node.text.empty() && !node.text_used)
    findings.add(Kind::not_supported, node.line, node.place(), fmt::format("<{}>: its text is not understood.", node.name));
  for (const auto& child : node.children) report_unread(*child, findings);
}

}   // namespace stickslip::robot
