// What the pages share.
export const site = {
  pages: 'Site',
  learn: 'Learn',
  look: 'Look',
  embed: 'Embed',
  bench: 'Bench',
  colours: 'Colours',
  auto: 'Auto',
  light: 'Light',
  dark: 'Dark',
};
