// The texts of the explorer, by area. Sentences that hold numbers or names are functions, so that a
// translation may put them in any order.
import { files } from './look/files.ts';
import { method } from './look/method.ts';
import { page } from './look/page.ts';
import { picture } from './look/picture.ts';
import { results } from './look/results.ts';
import { whatif } from './look/whatif.ts';
import { networks } from './networks.ts';

const areas = () => ({
  ...page,
  ...files,
  ...picture,
  ...method,
  ...results,
  ...whatif,
  networks,
});

// Pages without these texts do not load them: a bundler removes a call only if it is marked as
// pure.
export const look = /* @__PURE__ */ areas();
