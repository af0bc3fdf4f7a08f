// The frame of the documentation. Its texts are Markdown, in www/docs and beside the code.
export const docs = {
  skip: 'Skip to the text',
  title: 'Documentation',
  lead: 'Guides that take a few minutes each, the reference, and the manuals of each part.',
  pages: 'Pages of the documentation',
  groups: { guides: 'Guides', reference: 'Reference', manuals: 'Manuals' },
  /** Names of pages in the list, instead of their headings. */
  labels: { npm: 'npm package', python: 'Python package' },
  table: 'Table',
  listing: 'Listing',
  search: {
    label: 'Search the documentation',
    results: 'Results',
    found: (n: number) =>
      n === 0 ? 'No section has these words.' : n === 1 ? '1 section' : `${n} sections`,
    failed: 'The search index could not be loaded. Check the network, and search again.',
  },
};
