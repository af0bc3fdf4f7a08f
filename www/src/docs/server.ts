import { render as renderPart } from 'svelte/server';
import Head from './Head.svelte';

/** What stands above the text of every page, as HTML. */
export function render(): string {
  return renderPart(Head).body;
}
