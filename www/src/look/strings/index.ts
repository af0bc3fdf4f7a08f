// The language of the page. Another one is a module of the same shape as en.ts, chosen here.
import { en } from './en';

export type Words = typeof en;
export const words: Words = en;
