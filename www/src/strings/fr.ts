/**
 * French. Machine-assisted: no reader of the language has checked it.
 *
 * Glossary, beside that of the element: attention attention, coalition coalition, surrogate modèle de
 * substitution, class classe, prediction prédiction, patch vignette, slide lame, slice coupe, map
 * carte, rank rang, seed graine, what-if question hypothétique.
 */
export { article } from './fr/article.ts';
export { learn } from './fr/learn.ts';
export { heads, look, read, site } from './fr/site.ts';
export { docs, element, embed, python, tiling, worksheets } from './en.ts';
