// The language of the site. Another one is a folder of modules of the same shape as those of en/,
// chosen here.
export { article } from './en/article';
export { embed } from './en/embed';
export { learn } from './en/learn';
export { look } from './en/look';
export { read } from './en/read';
export { plural, sentence, shape, verb } from './en/phrases';
export { site } from './en/site';
