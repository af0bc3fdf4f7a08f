import { render as renderSvelte } from 'svelte/server';
import Article from './Article.svelte';

/** The article with what is stored, as HTML. */
export const render = (): string => renderSvelte(Article).body;
