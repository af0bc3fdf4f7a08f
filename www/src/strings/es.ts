/**
 * Spanish. Machine-assisted: no reader of the language has checked it.
 *
 * Glossary, beside that of the element: attention atención, coalition coalición, surrogate modelo
 * sustituto, class clase, prediction predicción, patch recorte, slide preparación, slice corte, map
 * mapa, rank rango, seed semilla, what-if pregunta hipotética.
 */
export { article } from './es/article.ts';
export { learn } from './es/learn.ts';
export { heads, look, read, site } from './es/site.ts';
export { docs, element, embed, python, tiling, worksheets } from './en.ts';
