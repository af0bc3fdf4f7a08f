// The documentation as files: its pages, each a page of HTML with the head and the styles of
// docs/index.html, which is their list; and the index of their search.
import MiniSearch from 'minisearch';
import { searchOptions, type Section } from '../../src/docs/sections.ts';
import { docs as say } from '../../src/strings/index.ts';
import { escape } from './escape.ts';
import { renderer, type Page } from './markdown.ts';
import { groups } from './pages.ts';
import type { Sheet } from './worksheets.ts';

/** The JSON Schema of model cards, beside the pages. */
export const SCHEMA = 'card.schema.json';

/** The language of guides and manuals, where it is not that of the site. */
const OWN = LANGUAGE === 'en' ? '' : ' lang="en" dir="ltr"';

/** A page with the group that the list has it in. */
type Listed = Page & { group: string };

/** All pages of the documentation, in the order of the list, with worksheets of bags. */
export function pages(sheets: readonly Sheet[]): Listed[] {
  const all = groups(sheets);
  const sources = all.flatMap((group) => group.pages);
  const addresses = sources.map(({ file, name }) => [file, `${name}.html`] as const);
  const render = renderer(new Map([...addresses, ['onnxbackend/card.schema.json', SCHEMA]]));
  return all.flatMap(({ title, pages }) =>
    pages.map((source) => ({ ...render(source), group: title })),
  );
}

/** The index of the search, as JSON. */
export function searchIndex(pages: readonly Page[]): string {
  const index = new MiniSearch<Section>(searchOptions);
  index.addAll(pages.flatMap(({ sections }) => sections));
  return JSON.stringify(index);
}

/** The files below docs/ by name; `template` is index.html without its text. */
export function files(template: string, sheets: readonly Sheet[]): Record<string, string> {
  const all = pages(sheets);
  const page = (p: Listed) => filled(template, p.title, p.description, text(p.html, all, p.name));
  return {
    ...Object.fromEntries(all.map((p) => [`${p.name}.html`, page(p)])),
    'index.html': filled(template, say.title, say.lead, text(front(all), all)),
    'search.json': searchIndex(all),
  };
}

const filled = (html: string, title: string, description: string, text: string) =>
  html
    .replace('DOCS_TITLE', () => escape(`${title} · bagscope`))
    .replace('DOCS_DESCRIPTION', () => escape(description))
    .replace('DOCS_TEXT', () => text);

/** A page's text, and the list of all pages behind it. The first page is that list. */
function text(html: string, all: readonly Listed[], here?: string): string {
  if (!here) return `<main id="main" tabindex="-1">${html}</main>`;
  const list = grouped(all, ({ name, title }) => {
    const current = name === here ? ' aria-current="page"' : '';
    return `<a href="${name}.html"${current}${OWN}>${escape(title)}</a>`;
  });
  return `<main id="main" tabindex="-1"${OWN}>${html}</main><nav class="pages" aria-label="${escape(say.pages)}">${list}</nav>`;
}

/** The first page: all pages with what they answer, or their first sentences. */
const front = (all: readonly Listed[]) =>
  `<h1>${escape(say.title)}</h1><p>${escape(say.lead)}</p>` +
  `<nav class="front" aria-label="${escape(say.pages)}">` +
  grouped(
    all,
    ({ name, title, description }) =>
      `<p><a href="${name}.html"${OWN}>${escape(title)}</a><br />` +
      (say.answers[name]
        ? `${escape(say.answers[name])}</p>`
        : `<span${OWN}>${escape(sentence(description))}</span></p>`),
  ) +
  '</nav>';

/** The groups, each with its heading and what `row` writes for its pages. */
const grouped = (all: readonly Listed[], row: (page: Listed) => string) =>
  [...new Set(all.map(({ group }) => group))]
    .map((group) => {
      const rows = all.filter((page) => page.group === group).map(row);
      return `<h2>${escape(group)}</h2>${rows.join('')}`;
    })
    .join('');

/** The first sentence of a text. */
const sentence = (text: string) => /^.*?[.:](?=\s|$)/.exec(text)?.[0].replace(/:$/, '.') ?? text;
