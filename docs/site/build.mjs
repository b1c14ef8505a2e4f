// Makes the manual a site: README and every page of docs/ as HTML with a list of pages, and a search that works without a server.
//
//   node build.mjs OUTPUT          run by scripts/manual, which makes the reference of the headers beside it
//
// A link to a page, heading or file that does not exist is an error, as is a page that README's list leaves out.
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { Marked } from "marked";

const here = path.dirname(fileURLToPath(import.meta.url));
const root = path.resolve(process.env.STICKSLIP_SOURCE ?? path.join(here, "../.."));
const output = path.resolve(process.argv[2] ?? "manual");
const problems = [];

const pagesOf = (folder) => fs.readdirSync(path.join(root, folder), { withFileTypes: true }).flatMap((entry) => {
  const name = path.posix.join(folder, entry.name);
  if (entry.isDirectory()) return pagesOf(name);
  return name.endsWith(".md") ? [name] : [];
});
const sources = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", ...pagesOf("docs")].filter((f) => fs.existsSync(path.join(root, f)));
const address = (source) => source === "README.md" ? "index.html" : source.replace(/^docs\//, "").replace(/\.md$/, ".html");

/** The name of a heading in addresses, as code hosts make it. */
const slug = (text) => text.toLowerCase().replace(/<[^>]*>/g, "").replace(/&[a-z]+;|&#\d+;/g, "").replace(/[^\p{L}\p{N}\- _]/gu, "").replace(/ /g, "-");
const plain = (html) => html.replace(/<[^>]*>/g, " ").replace(/&quot;/g, '"').replace(/&#39;/g, "'").replace(/&lt;/g, "<").replace(/&gt;/g, ">").replace(/&amp;/g, "&").replace(/\s+/g, " ").trim();

/** Reads a page: title, headings with their names, HTML; links are checked later, when the headings of all pages are known. */
function readPage(source) {
  const page = { source, file: address(source), headings: [], links: [], title: "" };
  const marked = new Marked({ gfm: true });
  marked.use({ renderer: {
    heading(html, level, raw) {
      let name = slug(plain(html));
      for (let k = 1; page.headings.some((h) => h.name === name); ++k) name = `${slug(plain(html))}-${k}`;
      if (level === 1 && !page.title) page.title = plain(html);
      page.headings.push({ level, name, text: plain(html) });
      return `<h${level} id="${name}">${html}<a class="here" href="#${name}" aria-label="Link to this heading">#</a></h${level}>\n`;
    },
    link(href, title, text) {
      const target = targetOf(page, href);
      return target === null ? text : `<a href="${target}">${text}</a>`;
    },
    image(href, title, text) {
      const from = path.join(root, path.dirname(source), href);
      if (!fs.existsSync(from)) problems.push(`${source}: there is no picture ${href}`);
      else copyFile(path.relative(root, from));
      return `<img src="${relative(page.file, pictureAddress(path.relative(root, from)))}" alt="${text}">`;
    },
    table(head, body) { return `<div class="wide"><table><thead>${head}</thead><tbody>${body}</tbody></table></div>\n`; },
  } });
  page.html = marked.parse(fs.readFileSync(path.join(root, source), "utf8"));
  return page;
}

const pictureAddress = (file) => file.replace(/^docs\//, "");
const relative = (from, to) => path.posix.relative(path.posix.dirname(from), to) || path.posix.basename(to);
function copyFile(file) {
  const to = path.join(output, pictureAddress(file));
  fs.mkdirSync(path.dirname(to), { recursive: true });
  fs.copyFileSync(path.join(root, file), to);
}

/** Where a link leads in the site; null: to a file of the project that the site does not show, whose name is enough. */
function targetOf(page, href) {
  if (/^[a-z]+:/.test(href)) return href;
  const [file, anchor] = href.split("#");
  const wanted = file ? path.posix.normalize(path.posix.join(path.posix.dirname(page.source), file)) : page.source;
  if (!fs.existsSync(path.join(root, wanted))) {
    problems.push(`${page.source}: ${href} leads nowhere`);
    return null;
  }
  if (!sources.includes(wanted)) return null;
  if (anchor) page.links.push({ wanted, anchor, href });
  return (file ? relative(page.file, address(wanted)) : "") + (anchor ? `#${anchor}` : "");
}

function checkAnchors(pages) {
  for (const page of pages)
    for (const { wanted, anchor, href } of page.links)
      if (!pages.find((p) => p.source === wanted).headings.some((h) => h.name === anchor))
        problems.push(`${page.source}: ${href} names a heading that is not there`);
}

/** Pages in the order of README's list of them; others below the page of their folder. */
function sorted(pages) {
  const readme = fs.readFileSync(path.join(root, "README.md"), "utf8");
  const place = (page) => {
    if (page.source === "README.md") return -1;
    const own = readme.indexOf(`(${page.source})`), folder = readme.indexOf(`(${path.posix.dirname(page.source)}.md)`);
    if (own >= 0) return own;
    if (folder >= 0 || page.source.startsWith("docs/tutorial/")) return folder >= 0 ? folder + 0.5 : readme.indexOf("docs/tutorial");
    if (page.source !== "CONTRIBUTING.md" && page.source !== "CHANGELOG.md") problems.push(`README.md does not list ${page.source}`);
    return readme.length;
  };
  return pages.map((page) => [place(page), page]).sort((a, b) => a[0] - b[0] || a[1].source.localeCompare(b[1].source)).map(([, page]) => page);
}

function navigation(pages, current) {
  const items = pages.map((p) => {
    const deeper = p.source.split("/").length > 2 ? ' class="deeper"' : "";
    const here = p === current ? ' aria-current="page"' : "";
    return `<li${deeper}><a href="${relative(current.file, p.file)}"${here}>${p.source === "README.md" ? "Stickslip" : p.title}</a></li>`;
  });
  items.push(`<li><a href="${relative(current.file, "api/index.html")}">Reference of the headers</a></li>`);
  return `<ul>${items.join("\n")}</ul>`;
}

const frame = (pages, page) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${page.source === "README.md" ? "Stickslip" : `${page.title} – Stickslip`}</title>
<link rel="stylesheet" href="${relative(page.file, "manual.css")}">
</head>
<body data-root="${relative(page.file, "x").slice(0, -1)}">
<nav>
<input id="search" type="search" placeholder="Search the manual" aria-label="Search the manual" autocomplete="off">
<ol id="found" hidden></ol>
${navigation(pages, page)}
</nav>
<main>
${page.html}
</main>
<script src="${relative(page.file, "search_index.js")}"></script>
<script src="${relative(page.file, "search.js")}"></script>
</body>
</html>
`;

/** What the search looks at: every heading with the text up to the next one. */
function sections(page) {
  const parts = page.html.split(/(?=<h[1-6] id=")/);
  return parts.flatMap((part) => {
    const heading = part.match(/^<h[1-6] id="([^"]*)">(.*?)<a class="here"/s);
    return heading ? [{ file: `${page.file}#${heading[1]}`, page: page.title, title: plain(heading[2]), text: plain(part.slice(part.indexOf("</h"))) }] : [];
  });
}

fs.mkdirSync(output, { recursive: true });
const pages = sorted(sources.map(readPage));
checkAnchors(pages);
if (problems.length > 0) {
  for (const problem of problems) console.error(problem);
  process.exit(1);
}
for (const page of pages) {
  fs.mkdirSync(path.dirname(path.join(output, page.file)), { recursive: true });
  fs.writeFileSync(path.join(output, page.file), frame(pages, page));
}
fs.writeFileSync(path.join(output, "search_index.js"), `window.manualSections = ${JSON.stringify(pages.flatMap(sections))};\n`);
for (const file of ["manual.css", "search.js"]) fs.copyFileSync(path.join(here, file), path.join(output, file));
