// A field for a number that somebody else changes too: what the user is typing in stays.

import { el } from "./dom";

/** `changed` is called with a number that was typed in; what is no number is put back. */
export function numberField(id: string, label: string, changed: (value: number) => void): HTMLInputElement {
  const input = el("input", { id, type: "number", step: "any", "aria-label": label });
  input.addEventListener("change", () => {
    if (Number.isFinite(input.valueAsNumber)) changed(input.valueAsNumber);
    else input.value = input.dataset.last ?? "";
  });
  return input;
}

export function putNumber(input: HTMLInputElement, value: number | undefined, digits = 6): void {
  const text = value === undefined ? "" : String(Number(value.toPrecision(digits)));
  input.dataset.last = text;
  if (document.activeElement !== input && input.value !== text) input.value = text;
}

/** What was refused must not stay in the fields: all show again what was said last. */
export function putBack(root: ParentNode): void {
  for (const input of root.querySelectorAll<HTMLInputElement>("input[data-last]")) input.value = input.dataset.last!;
}
