// Markdown to HTML: headings with anchors, links between documents of the repository that lead to
// pages, and tables and listings that scroll by the keyboard.
import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { Marked, type Token, type Tokens } from 'marked';
import { docs } from '../../src/strings/index.ts';
import type { Section } from '../../src/docs/sections.ts';
import { escape } from './escape.ts';
import { root, type Source } from './pages.ts';

/** Where documents that are no pages can be read. */
const REPOSITORY = 'https://github.com/bagscope/bagscope/blob/main/';

/** A page as HTML, with what a search finds in it. */
export interface Page {
  name: string;
  title: string;
  description: string;
  html: string;
  sections: Section[];
}

/** The anchor of a heading, as GitHub makes it: "Scale of the scores" is scale-of-the-scores. */
export const anchor = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-');

/** The words of tokens, without marks. */
function words(tokens: readonly Token[] | undefined): string {
  return (tokens ?? [])
    .map((token): string => {
      if (token.type === 'html' || token.type === 'br') return ' ';
      if (token.type === 'table') {
        const { header, rows } = token as Tokens.Table;
        return [header, ...rows].map((row) => row.map((c) => words(c.tokens)).join(' ')).join(' ');
      }
      if (token.type === 'list')
        return (token as Tokens.List).items.map((item) => words(item.tokens)).join(' ');
      const inside = 'tokens' in token ? token.tokens : undefined;
      return inside ? words(inside) : 'text' in token ? (token.text as string) : '';
    })
    .join('');
}

/** Puts programs of other files in: a line `<!-- include tools/python/... -->` inside a listing. */
const included = (markdown: string) =>
  markdown.replace(/^<!-- include (\S+) -->$/gm, (_, file: string) =>
    readFileSync(root + file, 'utf8').trimEnd(),
  );

/** Renders pages. `addresses` has the address of each document of the repository that is a page. */
export function renderer(addresses: ReadonlyMap<string, string>) {
  return ({ name, label, file, markdown }: Source): Page => {
    const ids = new Map<Token, string>();
    const marked = new Marked({
      renderer: {
        heading(token) {
          const text = this.parser.parseInline(token.tokens);
          return `<h${token.depth} id="${ids.get(token)}">${text}</h${token.depth}>\n`;
        },
        link({ href, tokens }) {
          const to = link(href, file, addresses);
          return `<a href="${escape(to)}">${this.parser.parseInline(tokens)}</a>`;
        },
        code: ({ text }) =>
          `<pre tabindex="0" role="group" aria-label="${docs.listing}"><code>${escape(text)}</code></pre>\n`,
        table({ header, rows }) {
          const cells = (row: Tokens.TableCell[], tag: string) =>
            `<tr>${row.map((c) => `<${tag}>${this.parser.parseInline(c.tokens)}</${tag}>`).join('')}</tr>`;
          return (
            `<div class="table" tabindex="0" role="group" aria-label="${docs.table}"><table>` +
            `<thead>${cells(header, 'th')}</thead>` +
            `<tbody>${rows.map((row) => cells(row, 'td')).join('\n')}</tbody></table></div>\n`
          );
        },
      },
    });
    const tokens = marked.lexer(included(markdown));
    const first = tokens.find((token) => token.type === 'heading');
    if (first?.type !== 'heading' || first.depth !== 1)
      throw new Error(`${file} does not begin with a heading of the first level`);
    const title = label ?? words(first.tokens);
    const lead = tokens.find((token) => token.type === 'paragraph');
    const description = words(lead ? [lead] : [])
      .replace(/\s+/g, ' ')
      .slice(0, 155);
    const list = sections(name, title, tokens, ids);
    return { name, title, description, html: marked.parser(tokens), sections: list };
  };
}

/**
 * The sections of a page: its beginning, and what follows each heading. `ids` gets the anchor of
 * each heading.
 */
function sections(name: string, page: string, tokens: Token[], ids: Map<Token, string>): Section[] {
  const list: Section[] = [];
  const used = new Map<string, number>();
  for (const token of tokens) {
    if (token.type === 'heading') {
      const title = words(token.tokens);
      const n = used.get(anchor(title)) ?? 0;
      used.set(anchor(title), n + 1);
      ids.set(token, anchor(title) + (n ? `-${n}` : ''));
      const id = list.length ? `${name}.html#${ids.get(token)}` : `${name}.html`;
      list.push({ id, page, title: list.length ? title : page, text: '' });
    } else if (list.length) list.at(-1)!.text += ` ${words([token])}`;
  }
  return list;
}

/** Where a link leads: to a page, to the site, or to the repository. */
function link(href: string, file: string, addresses: ReadonlyMap<string, string>): string {
  if (/^([a-z]+:|#)/.test(href)) return href;
  const [path, hash] = href.split('#') as [string, string?];
  const target = posix.join(posix.dirname(file), path);
  const page = addresses.get(target);
  if (page) return hash ? `${page}#${hash}` : page;
  // Guides lie where their pages do: what they name beside or above them is of the site.
  if (file.startsWith('www/docs/') && !/\.(md|go|ts|py)$/.test(path) && target.startsWith('www/'))
    return href;
  return REPOSITORY + target.replace(/\/$/, '') + (hash ? `#${hash}` : '');
}
