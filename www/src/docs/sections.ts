import type { Options } from 'minisearch';

/** A section of a page: what a search finds. */
export interface Section {
  /** Its address, relative to the folder of the documentation: "card.html#scale-of-the-scores". */
  id: string;
  page: string; // title of the page
  title: string; // heading of the section
  text: string;
}

/** How sections are indexed at build time, and searched in the page. */
export const searchOptions: Options<Section> = {
  fields: ['title', 'page', 'text'],
  storeFields: ['page', 'title'],
  searchOptions: {
    boost: { title: 4, page: 2 },
    prefix: (word) => word.length > 2,
    fuzzy: (word) => (word.length > 4 ? 0.2 : false),
    combineWith: 'AND',
  },
};
