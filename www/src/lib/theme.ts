// Light, dark, or as the system says; remembered where the browser allows it.

export type Theme = '' | 'light' | 'dark';

const KEY = 'bagscope-theme';

/** The remembered theme, '' for the system's. */
export function read(): Theme {
  try {
    const theme = localStorage.getItem(KEY);
    return theme === 'light' || theme === 'dark' ? theme : '';
  } catch {
    return ''; // storage is forbidden here
  }
}

/** Shows a theme and remembers it. */
export function write(theme: Theme): void {
  if (theme) document.documentElement.dataset.theme = theme;
  else delete document.documentElement.dataset.theme;
  try {
    if (theme) localStorage.setItem(KEY, theme);
    else localStorage.removeItem(KEY);
  } catch {
    // Not remembered, but shown.
  }
}
