// The frame of the documentation. Its texts are Markdown, in www/docs and beside the code.
export const docs = {
  skip: 'Skip to the text',
  title: 'Documentation',
  lead: 'Guides that take a few minutes each, the reference, and the manuals of each part.',
  pages: 'Pages of the documentation',
  groups: { guides: 'Guides', reference: 'Reference', manuals: 'Manuals' },
  /** Names of pages in the list, instead of their headings. */
  labels: { npm: 'npm package', python: 'Python package' },
  /** What each guide answers, in the list of the first page; others have their first sentence. */
  answers: {
    first: 'From an ONNX file and an array to a picture of what mattered, in four commands.',
    pytorch: 'Write a module as an ONNX file, with a proof that both give the same scores.',
    slides: 'Find tissue, lay patches, encode them and see the map on the slide.',
    dicom: 'Explain a CT or MR series: which slices support the prediction.',
    tables: 'Explain a table of cells or tiles, whatever program wrote it.',
    choosing: 'Consensus, unless you need exact sums, errors or the model’s own scores.',
    reading:
      'I am a pathologist: what do the colours mean? Blue supports the class, orange refutes it; ' +
      'this guide says when to trust neither.',
    embedding: 'Show an explained bag on your own page, with one element and no server.',
    server: 'Answer requests over HTTP with the bytes of the command line.',
    proxy: 'Put nginx, Caddy or Kubernetes in front of the server without opening it to everyone.',
    cohort: 'Explain every bag of a study, and see what the maps have in common by class and site.',
    gpu: 'Encode slides faster on Vulkan, Metal, Direct3D 12 or WebGPU; scores stay the same.',
    privacy: 'Nothing leaves your machine, and how you can check that.',
    teaching: 'Lessons of 5, 15, 45 and 60 minutes with the article.',
    worksheet: 'A page to print: say what a network answers, and which instances make it do so.',
  } as Record<string, string>,
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
