// The article's parts in order. Each comes to life by itself, so that none of them keeps the page
// from answering.

import { article } from '../strings';

const parts = [
  'hero',
  'bar',
  'removing',
  'attention',
  'alone',
  'coalitions',
  'curve',
  'methods',
  'proof',
  'together',
  'slide',
  'series',
  'compose',
  'own',
  'address',
  'room',
] as const;

export type Part = (typeof parts)[number] | 'head';

/** All parts, in the order in which they come to life. */
export const order: readonly Part[] = [...parts, 'head'];

/** All parts from the top of the page. */
export const downwards: readonly Part[] = ['head', ...parts];

/** The page around its parts, with what `inside` gives for each. */
export function skeleton(inside: (part: Part) => string): string {
  const place = (part: Part) => `<div class="part" data-part="${part}">${inside(part)}</div>`;
  return (
    `<a class="skip" href="#article">${article.skip}</a>${place('head')}<main ` +
    `id="article" tabindex="-1">${parts.map(place).join('')}</main>`
  );
}
