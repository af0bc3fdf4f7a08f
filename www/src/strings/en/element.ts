// The texts of <bag-explainer>. The element itself has those in English.
import type { Texts } from 'bagscope/element';

export const element: Texts | undefined = undefined;
