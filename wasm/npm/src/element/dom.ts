/**
 * Builds elements without markup in texts, so that a class name of a model cannot inject elements.
 * Hidden characters of texts are escaped.
 */

import { visible } from "../visible.js";

type Child = Node | string | null;

/**
 * Creates an element with properties, attributes (keys with a dash, or role, part, slot, scope) and
 * children.
 */
export function make<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  settings: Record<string, unknown> = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(settings)) {
    if (key in element && !key.includes("-") && key !== "part")
      (element as Record<string, unknown>)[key] = value;
    else element.setAttribute(key, String(value));
  }
  for (const child of children)
    if (child !== null) element.append(typeof child === "string" ? visible(child) : child);
  return element;
}

/** Positions an absolute element over a box, in percent of the container. */
export function place(
  element: HTMLElement,
  box: { x: number; y: number; width: number; height: number },
  whole: { width: number; height: number },
): void {
  const percent = (part: number, of: number) => `${(100 * part) / of}%`;
  element.style.left = percent(box.x, whole.width);
  element.style.top = percent(box.y, whole.height);
  element.style.width = percent(box.width, whole.width);
  element.style.height = percent(box.height, whole.height);
}
