// The language of the site. Another one is a folder of modules of the same shape as those of en/,
// chosen here.
export { article } from './en/article.ts';
export { docs } from './en/docs.ts';
export { embed } from './en/embed.ts';
export { learn } from './en/learn.ts';
export { look } from './en/look.ts';
export { python } from './en/python.ts';
export { read } from './en/read.ts';
export { plural, sentence, shape, verb } from './en/phrases.ts';
export { site } from './en/site.ts';
