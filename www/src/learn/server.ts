import type { Component } from 'svelte';
import { render as renderPart } from 'svelte/server';
import { parts } from './parts';
import { skeleton } from './skeleton';

/** The article with what is stored, as HTML. */
export function render(): string {
  return skeleton((part) => {
    const { component, props } = parts[part];
    return renderPart(component as Component, { props }).body;
  });
}
