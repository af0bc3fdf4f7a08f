import { render as renderPage } from 'svelte/server';
import poster from 'virtual:poster';
import App from './App.svelte';
import { held, studio } from './lib/state.svelte';

/** The page as it is before its engine has come: the stored explanation of the example, as HTML. */
export function render(): string {
  [studio.poster, held.whole] = [true, poster.prediction];
  return renderPage(App).body;
}
