// What the pages share.
export const site = {
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
  code: {
    copy: 'Copy',
    copied: 'Copied',
    failed: 'The browser forbids copying: select the text and copy it by hand.',
  },
};
