/** The catalogues of the element's texts, and which of them an element has. */

import { english, type Texts } from "./texts.js";

/** Loads the texts of a language, by its tag (BCP 47) without region. */
const catalogues: Readonly<Record<string, () => Promise<{ texts: Texts }>>> = {
  ar: () => import("./texts/ar.js"),
  de: () => import("./texts/de.js"),
  es: () => import("./texts/es.js"),
  fr: () => import("./texts/fr.js"),
  zh: () => import("./texts/zh.js"),
};

/** The `lang` of an element, else of what contains it, also outside of its shadow tree. */
function languageOf(element: Element): string {
  for (let at: Node | null = element; at; at = at.parentNode ?? (at as ShadowRoot).host ?? null) {
    const lang = (at as Element).getAttribute?.("lang");
    if (lang) return lang;
  }
  return "en";
}

/**
 * Returns texts with English in place of what an earlier form of them lacks: their language is then
 * unknown, and their direction that of the page.
 */
export const completed = (texts: Partial<Texts>, direction: Texts["direction"]): Texts => ({
  ...english,
  ...{ tag: "", direction },
  ...texts,
});

/** Returns the texts in the language of an element; in English if there are none or none load. */
export async function textsFor(element: Element): Promise<Texts> {
  const tag = languageOf(element).toLowerCase().split("-")[0]!;
  if (!Object.hasOwn(catalogues, tag)) return english;
  return catalogues[tag]!().then(
    ({ texts }) => texts,
    () => english,
  );
}
