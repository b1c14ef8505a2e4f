// Elements without a framework.

type Child = Node | string | null;
type Props = Record<string, string | number | boolean | EventListener | undefined>;

/** el("button", {class: "wide", title: "…", onclick: f}, "text"): functions are listeners, the rest attributes. */
export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  props: Props = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== undefined) element.setAttribute(name, String(value));
  }
  element.append(...children.filter((c): c is Node | string => c !== null));
  return element;
}

export function byId<T extends HTMLElement>(id: string): T {
  return document.getElementById(id) as T;
}

/** Changes text only where it differs: a frame touches few nodes. */
export function setText(node: HTMLElement, text: string): void {
  if (node.textContent !== text) node.textContent = text;
}

/** Saves data as a file, without any server. */
export function download(name: string, data: Blob): void {
  const url = URL.createObjectURL(data);
  const link = el("a", { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

/** An icon from simple paths in a 16 × 16 box. */
export function icon(path: string): SVGSVGElement {
  const ns = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(ns, "svg");
  svg.setAttribute("viewBox", "0 0 16 16");
  svg.setAttribute("aria-hidden", "true");
  const shape = document.createElementNS(ns, "path");
  shape.setAttribute("d", path);
  svg.append(shape);
  return svg;
}

export const ICONS = {
  play: "M4 2.5v11l9-5.5z",
  pause: "M3.5 2.5h3v11h-3zM9.5 2.5h3v11h-3z",
  back: "M12.5 3v10L6 8zM3.5 3h2v10h-2z",
  forward: "M3.5 3v10L10 8zM10.5 3h2v10h-2z",
  loop:
    "M8 3a5 5 0 0 1 4.9 4h1.9l-2.7 3.2L9.4 7h1.9A3.4 3.4 0 0 0 5.2 5.9L4 4.8A5 5 0 0 1 8 3z" +
    "M8 13a5 5 0 0 1-4.9-4H1.2l2.7-3.2L6.6 9H4.7a3.4 3.4 0 0 0 6.1 1.1l1.2 1.1A5 5 0 0 1 8 13z",
  reset: "M8 2.5A5.5 5.5 0 1 1 2.7 6.5h1.8A3.9 3.9 0 1 0 8 4.1V6.5L4.3 3.2 8 0z",
  theme: "M8 1a7 7 0 1 0 0 14A7 7 0 0 0 8 1zm0 1.6v10.8a5.4 5.4 0 0 1 0-10.8z",
  panel: "M1.5 2.5h13v11h-13zM3 4v8h5.5V4z",
  fit: "M2 2h4v1.6H3.6V6H2zM10 2h4v4h-1.6V3.6H10zM2 10h1.6v2.4H6V14H2zM12.4 10H14v4h-4v-1.6h2.4zM6 6h4v4H6z",
};
