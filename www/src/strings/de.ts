/**
 * German. Machine-assisted: no reader of the language has checked it.
 *
 * Glossary, beside that of the element: attention Attention (Gewichte), coalition Koalition,
 * surrogate Ersatzmodell, class Klasse, prediction Vorhersage, patch Ausschnitt, slide Schnitt,
 * slice Schicht, map Karte, rank Rang, seed Startwert, what-if Was-wäre-wenn-Frage.
 */
export { article } from './de/article.ts';
export { learn } from './de/learn.ts';
export { heads, look, read, site } from './de/site.ts';
export { docs, element, embed, python, tiling, worksheets } from './en.ts';
