import '../styles/theme.css';
import '../styles/base.css';
import { hydrate, mount } from 'svelte';
import App from './App.svelte';
import { deviceOf } from './open/address';
import { start } from './open/startup';
import { decode } from './open/hash';
import { keepFocus } from '../lib/focus';
import { networkOf, startsEmpty } from './open/networks';
import { fetchViewer } from './slide/load';

keepFocus();
const page = document.getElementById('page')!;
const network = networkOf(location.search);
const empty = startsEmpty(location.search);
// What is built has the page in it as it is without a link; the development server has not.
const written = page.firstElementChild !== null && location.hash.length <= 1 && !network && !empty;

let shown = () => {};
// Before anything is rendered: the files come meanwhile.
const ready = new Promise<void>((done) => (shown = done));
void start({
  link: decode(location.hash),
  network,
  empty,
  device: deviceOf(location.search),
  shown: ready,
  fetchExtras: async () => {
    const [extras] = await Promise.all([import('./extras'), fetchViewer().catch(() => {})]);
    return extras;
  },
});
// In a task of its own, so that the browser can answer in between.
setTimeout(() => {
  if (written) hydrate(App, { target: page });
  else {
    page.textContent = '';
    mount(App, { target: page });
  }
  shown();
});
