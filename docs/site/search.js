// The search of the manual: sections that have all words of the query, those with words in their headings first. Needs no server.
const input = document.getElementById("search"), found = document.getElementById("found");
const base = document.body.dataset.root;
const fold = (text) => text.toLowerCase();
/** Where words begin with it: "angle" is not looked for in "triangle". */
const beginnings = (word) => new RegExp(`(?<![\\p{L}\\p{N}])${word.replace(/[^\p{L}\p{N}]/gu, "\\$&")}`, "gu");

function score(section, words) {
  const title = fold(section.title), text = fold(section.text);
  let sum = 0;
  for (const word of words) {
    const inTitle = title.search(beginnings(word)) >= 0, count = (text.match(beginnings(word)) ?? []).length;
    if (!inTitle && count === 0) return 0;
    sum += (inTitle ? 10 : 0) + Math.min(count, 5);
  }
  return sum;
}

function excerpt(section, words) {
  const at = Math.max(0, Math.min(...words.map((w) => { const k = fold(section.text).search(beginnings(w)); return k < 0 ? Infinity : k; }), section.text.length) - 40);
  return (at > 0 ? "… " : "") + section.text.slice(at, at + 140);
}

function show(query) {
  const words = fold(query).split(/\s+/).filter((w) => w.length > 1);
  const hits = words.length === 0 ? [] : window.manualSections.map((s) => [score(s, words), s]).filter(([n]) => n > 0).sort((a, b) => b[0] - a[0]).slice(0, 20);
  found.replaceChildren(...hits.map(([, section]) => {
    const link = document.createElement("a"), place = document.createElement("small"), item = document.createElement("li");
    link.href = base + section.file;
    link.textContent = section.title === section.page ? section.title : `${section.page}: ${section.title}`;
    place.textContent = excerpt(section, words);
    item.append(link, place);
    return item;
  }));
  if (words.length > 0 && hits.length === 0) found.textContent = "Nothing found.";
  found.hidden = words.length === 0;
}

input.addEventListener("input", () => show(input.value));
input.addEventListener("keydown", (event) => {
  if (event.key === "Escape") { input.value = ""; show(""); }
  if (event.key === "Enter") found.querySelector("a")?.click();
});
document.addEventListener("keydown", (event) => {
  if (event.key !== "/" || document.activeElement === input) return;
  event.preventDefault();
  input.focus();
});
