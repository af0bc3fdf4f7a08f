// What the pages share.
/** Where a line of the language begins. */
const direction: 'ltr' | 'rtl' = 'ltr';

export const site = {
  direction,
  pages: 'Site',
  menu: 'Menu',
  language: 'Language',
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
  code: {
    copy: 'Copy',
    copied: 'Copied',
    failed: 'The browser forbids copying: select the text and copy it by hand.',
  },
};
