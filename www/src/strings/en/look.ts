// The texts of the explorer, by area. Sentences that hold numbers or names are functions, so that a
// translation may put them in any order.
import { files } from './look/files';
import { method } from './look/method';
import { page } from './look/page';
import { picture } from './look/picture';
import { results } from './look/results';
import { networks } from './networks';

const areas = () => ({ ...page, ...files, ...picture, ...method, ...results, networks });

// Pages without these texts do not load them: a bundler removes a call only if it is marked as pure.
export const look = /* @__PURE__ */ areas();
