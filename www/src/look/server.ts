import { render as renderPage } from 'svelte/server';
import App from './App.svelte';
import { showPoster } from './open/poster';

/** The page as it is before its engine has come: the stored explanation of the example, as HTML. */
export function render(): string {
  showPoster();
  return renderPage(App).body;
}
