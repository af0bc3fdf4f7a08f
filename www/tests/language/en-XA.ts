// A language for tests: the texts in English with accents on all letters, and longer by a third.
import { english } from '../../../wasm/npm/src/element/texts.ts';
import * as en from '../../src/strings/en.ts';
import type { Strings } from '../../src/strings/index.ts';
import { accented } from './accented.ts';

export const article: Strings['article'] = /* @__PURE__ */ accented(en.article);
export const docs: Strings['docs'] = /* @__PURE__ */ accented(en.docs);
export const element: Strings['element'] = { ...accented(english), tag: 'en-XA', direction: 'ltr' };
export const embed: Strings['embed'] = /* @__PURE__ */ accented(en.embed);
export const heads: Strings['heads'] = /* @__PURE__ */ accented(en.heads);
export const learn: Strings['learn'] = /* @__PURE__ */ accented(en.learn);
export const look: Strings['look'] = /* @__PURE__ */ accented(en.look);
export const python: Strings['python'] = /* @__PURE__ */ accented(en.python);
export const read: Strings['read'] = /* @__PURE__ */ accented(en.read);
export const site: Strings['site'] = { ...accented(en.site), direction: 'ltr' };
export const tiling: Strings['tiling'] = /* @__PURE__ */ accented(en.tiling);
