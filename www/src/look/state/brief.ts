// Names as the page shows them: anybody may have written the files that they come from.
import { visible } from 'bagscope';

/** Letters of a name that are shown: one name must not fill the page. */
const MOST = 100;

/** A name without hidden characters; of a long one the beginning. */
export const brief = (name: string): string =>
  visible(name.length > MOST ? `${name.slice(0, MOST).replace(/[\ud800-\udbff]$/, '')}…` : name);
