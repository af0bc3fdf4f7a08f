// Sentences with marks in them, as src/strings/ writes them: "A <dfn>coalition</dfn> is a part of
// the bag". What is between two backticks is code.

import { linkTo } from '../site/files';

/** A link to a page of the site, or its name alone where that page is not there. */
function link(path: string): readonly [string, string] {
  const to = linkTo(path);
  return to ? [`<a href="${to}">`, 'a'] : ['<span>', 'span'];
}

/** The elements that marks stand for, by mark: where they begin, and their names. */
const marks: Record<string, readonly [begin: string, tag: string]> = {
  em: ['<em>', 'em'],
  strong: ['<strong>', 'strong'],
  dfn: ['<dfn>', 'dfn'],
  cite: ['<cite>', 'cite'],
  sub: ['<sub>', 'sub'],
  sup: ['<sup>', 'sup'],
  plus: ['<span class="support">', 'span'],
  minus: ['<span class="refute">', 'span'],
  look: link('look/'),
  mean: link('look/?example=mi-net'),
  graph: link('look/?example=mi-gnn'),
  scan: link('look/?example=nuclei'),
  chest: link('look/?example=series'),
  embed: link('embed/'),
};

const code = ['<code>', 'code'] as const;

/** A text as HTML. What is between marks that nobody knows stays as it is written. */
export function markup(text: string): string {
  let [out, end] = ['', 0];
  for (const m of text.matchAll(/<(\w+)>([^<]*)<\/\1>|`([^`]+)`/g)) {
    const mark = m[1] === undefined ? code : Object.hasOwn(marks, m[1]) && marks[m[1]];
    if (!mark) continue;
    out += `${plain(text.slice(end, m.index))}${mark[0]}${plain(m[2] ?? m[3]!)}</${mark[1]}>`;
    end = m.index + m[0].length;
  }
  return out + plain(text.slice(end));
}

const plain = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
