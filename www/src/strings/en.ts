// The texts in English, one module for each page and one for what a page fetches later.
export { article } from './en/article.ts';
export { docs } from './en/docs.ts';
export { element } from './en/element.ts';
export { embed } from './en/embed.ts';
export { heads } from './en/heads.ts';
export { learn } from './en/learn.ts';
export { look } from './en/look.ts';
export { python } from './en/python.ts';
export { read } from './en/read.ts';
export { site } from './en/site.ts';
export { tiling } from './en/tiling.ts';
export { worksheets } from './en/worksheets.ts';
