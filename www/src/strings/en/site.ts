// What the pages share.
/** Where a line of the language begins. */
const direction: 'ltr' | 'rtl' = 'ltr';

export const site = {
  direction,
  pages: 'Site',
  learn: 'Learn',
  look: 'Look',
  embed: 'Embed',
  python: 'Python',
  docs: 'Docs',
  bench: 'Bench',
  colours: 'Colours',
  auto: 'Auto',
  light: 'Light',
  dark: 'Dark',
  canvas: (width: number, height: number) =>
    `the browser does not draw on a canvas of ${width} × ${height} pixels: its memory is exhausted, ` +
    'or a setting forbids it. Close other tabs or allow canvases for this page, then reload it',
  code: {
    copy: 'Copy',
    copied: 'Copied',
    failed: 'The browser forbids copying: select the text and copy it by hand.',
  },
};
