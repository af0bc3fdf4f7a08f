import { render as renderApp } from 'svelte/server';
import App from './App.svelte';

/** The page as it stands before its script has come, as HTML. */
export function render(): string {
  return renderApp(App).body;
}
