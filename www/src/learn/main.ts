import '../styles/theme.css';
import '../styles/base.css';
import './learn.css';
import { hydrate, mount, type Component } from 'svelte';
import { layOut } from './ahead';
import { parts } from './parts';
import { keepFocus } from '../lib/focus';
import { nextTask } from '../lib/pauses';
import { downwards, order, skeleton } from './skeleton';

keepFocus();
const page = document.getElementById('page')!;
// What is built has the article in it; the development server has not.
const written = page.querySelector('[data-part]') !== null;
if (!written) page.innerHTML = skeleton(() => '');

// What is not written yet is drawn from the top, so that nothing moves.
for (const part of written ? order : downwards) {
  await nextTask();
  const target = page.querySelector(`[data-part="${part}"]`)!;
  const { component, props } = parts[part];
  (written ? hydrate : mount)(component as Component, { target, props });
}
void layOut(page.querySelectorAll('main > .part > :is(.text, .page)'));
