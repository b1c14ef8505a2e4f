#include "study/report.h"

#include <cmath>

#include "record/base64.h"
#include "study/folder.h"

namespace stickslip::study {

namespace {

constexpr std::size_t kShownRows = 40;   ///< of a table; the rest stands in the files

constexpr const char* kReportStyle = R"(
body { font: 16px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem; color: #1b1b1b; }
h1 { font-size: 1.7rem; line-height: 1.2; margin-bottom: .2rem; }
h2 { font-size: 1.2rem; margin-top: 2.2rem; border-bottom: 1px solid #ccc; }
h3 { font-size: 1rem; margin-bottom: .3rem; }
.dim, figcaption { color: #555; }
code { background: #f2f2f2; padding: .1em .3em; overflow-wrap: anywhere; }
table { border-collapse: collapse; margin: .5rem 0 1rem; font-size: .9rem; }
th, td { padding: .2rem .6rem; border-bottom: 1px solid #ddd; text-align: left; vertical-align: top; }
td.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.wide { overflow-x: auto; }
figure { margin: 1.5rem 0; }
figure img { max-width: 100%; height: auto; }
.verdict { font-weight: 600; white-space: nowrap; }
.holds { color: #14663a; }
.fails, .contradicts { color: #a3231f; }
.open { color: #666; }
.conclusion { border-left: 4px solid #1f6fb2; padding: .2rem 1rem; background: #f3f7fb; }
@media print { body { max-width: none; margin: 0; } figure, tr { break-inside: avoid; } }
)";

std::string html(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    if (c == '&') safe += "&amp;";
    else if (c == '<') safe += "&lt;";
    else if (c == '>') safe += "&gt;";
    else if (c == '"') safe += "&quot;";
    else safe += c;
  }
  return safe;
}

/// Paragraphs are separated by empty lines.
std::string paragraphs(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::size_t end = text.find("\n\n");
    result += "<p>" + html(text.substr(0, end)) + "</p>\n";
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 2);
  }
  return result;
}

const char* verdict_class(Verdict verdict) {
  constexpr const char* classes[] = {"holds", "fails", "contradicts", "open"};
  return classes[static_cast<std::size_t>(verdict)];
}

std::string claims_part(const RunResult& result) {
  if (result.claims.empty()) return {};
  std::string text = "<h2>Claims</h2>\n<table><tr><th>claim</th><th>verdict</th><th>evidence</th><th>the paper</th></tr>\n";
  for (const auto& [claim, finding] : result.claims)
    text += fmt::format("<tr><td>{}</td><td class=\"verdict {}\">{}</td><td>{}</td><td class=dim>{}</td></tr>\n",
                        html(claim.sentence), verdict_class(finding.verdict), verdict_text(finding.verdict),
                        html(finding.evidence), claim.paper.empty() ? "—" : html(claim.paper));
  return text + "</table>\n";
}

std::string figures_part(const RunOptions& options, const Plan& plan, const RunResult& result) {
  if (plan.figures.empty()) return {};
  std::string text = "<h2>Figures</h2>\n";
  if (!result.no_figures.empty()) return text + "<p>" + html(result.no_figures) + "</p>\n";
  for (const Figure& figure : plan.figures) {
    const std::string svg = read_text(options.folder / "figures" / (figure.name + ".svg"));
    text += fmt::format(
        "<figure id=\"{}\"><img alt=\"{}\" src=\"data:image/svg+xml;base64,{}\"><figcaption>{}</figcaption></figure>\n",
        html(figure.name), html(figure.title), base64(svg), html(figure.caption));
  }
  return text;
}

/// Four digits are enough to read; the files have all.
std::string shown_number(double x) {
  return std::isnan(x) ? "–" : std::floor(x) == x && std::abs(x) < 1e9 ? fmt::format("{:.0f}", x) : fmt::format("{:.4g}", x);
}

std::string table_part(const Table& table) {
  std::string text =
      fmt::format("<h3>{}</h3>\n<p class=dim>{} rows in <code>data/{}.csv</code>{}</p>\n", html(table.title()), table.rows(),
                  table.name(), table.rows() > kShownRows ? fmt::format("; the first {} are", kShownRows) : "");
  text += "<div class=wide><table><tr>";
  for (const Column& column : table.columns())
    text += fmt::format("<th title=\"{}\">{}{}</th>", html(column.help), html(column.name),
                        column.unit.empty() ? "" : " [" + html(column.unit) + "]");
  text += "</tr>\n";
  for (std::size_t row = 0; row < std::min(table.rows(), kShownRows); ++row) {
    text += "<tr>";
    for (std::size_t i = 0; i < table.columns().size(); ++i) {
      const Cell cell = table.cell(row, i);
      text +=
          cell.is_text() ? "<td>" + html(cell.text()) + "</td>" : "<td class=number>" + shown_number(cell.number()) + "</td>";
    }
    text += "</tr>\n";
  }
  return text + "</table></div>\n";
}

std::string facts_part(const RunOptions& options, const Setting& setting, const RunResult& result) {
  std::string text = "<h2>How it was made</h2>\n<table>\n";
  const auto fact = [&](std::string_view name, std::string_view value) {
    text += fmt::format("<tr><td>{}</td><td>{}</td></tr>\n", name, value);
  };
  fact("command", "<code>" + html(options.command) + "</code>");
  fact("again, to the same bits", "<code>stickslip study " + html((options.folder / "manifest.json").string()) + "</code>");
  fact("size, seed", fmt::format("{}, {}", size_name(setting.size), setting.seed));
  fact("cases", fmt::format("{}, of which {} were there from an earlier run", result.cases, result.reused));
  fact("program", fmt::format("stickslip {}, build {}", html(options.version), build_of_program()));
  const Json machine = machine_facts();
  for (const auto& [name, value] : machine.items())
    fact(name, html(value.is_string() ? value.get<std::string>() : value.dump()));
  return text + "</table>\n";
}

}   // namespace

void write_report(const RunOptions& options, const Study& study, const Setting& setting, const Plan& plan, const Data& data,
                  const RunResult& result) {
  std::string page = fmt::format(
      "<!doctype html>\n<html lang=en><head><meta charset=utf-8><meta name=viewport "
      "content=\"width=device-width\"><title>{}</title>"
      "<style>{}</style></head><body>\n<h1>{}</h1>\n<p class=dim>Study <code>{}</code>{}</p>\n",
      html(study.title), kReportStyle, html(study.title), study.name,
      study.paper.empty() ? "" : ", after [" + html(study.paper) + "]");
  for (const std::string& paragraph : result.conclusion) page += "<div class=conclusion>" + paragraphs(paragraph) + "</div>\n";
  page += claims_part(result);
  page += "<h2>What is done</h2>\n" + paragraphs(study.about);
  if (!study.paper_says.empty()) {
    page += "<h2>What the paper says</h2>\n<ul>\n";
    for (const std::string& sentence : study.paper_says) page += "<li>" + html(sentence) + "</li>\n";
    page += "</ul>\n";
  }
  page += figures_part(options, plan, result);
  page += "<h2>Data</h2>\n";
  for (const Table& table : data.tables()) page += table_part(table);
  page += facts_part(options, setting, result);
  write_text(options.folder / "report.html", page + "</body></html>\n");
}

void write_index(const std::filesystem::path& page, const std::vector<std::pair<const Study*, RunResult>>& results) {
  std::string text = fmt::format(
      "<!doctype html>\n<html lang=en><head><meta charset=utf-8><meta name=viewport content=\"width=device-width\">"
      "<title>Studies</title><style>{}</style></head><body>\n<h1>Studies</h1>\n",
      kReportStyle);
  for (const auto& [study, result] : results) {
    text += fmt::format("<h2><a href=\"{0}/report.html\">{1}</a></h2>\n<table>\n", study->name, html(study->title));
    for (const auto& [claim, finding] : result.claims)
      text += fmt::format("<tr><td class=\"verdict {}\">{}</td><td>{}</td><td>{}</td></tr>\n", verdict_class(finding.verdict),
                          verdict_text(finding.verdict), html(claim.sentence), html(finding.evidence));
    text += "</table>\n";
  }
  write_text(page, text + "</body></html>\n");
}

}   // namespace stickslip::study
