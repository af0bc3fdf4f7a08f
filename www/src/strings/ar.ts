/**
 * Arabic. Machine-assisted: no reader of the language has checked it.
 *
 * Glossary, beside that of the element: attention انتباه, coalition ائتلاف, surrogate نموذج بديل, class
 * صنف, prediction تنبؤ, patch رقعة, slide شريحة نسيجية, slice مقطع, map خريطة, rank رتبة, seed بذرة,
 * what-if سؤال افتراضي.
 */
export { article } from './ar/article.ts';
export { learn } from './ar/learn.ts';
export { heads, look, read, site } from './ar/site.ts';
export { docs, element, embed, python, tiling, worksheets } from './en.ts';
