// The built site on a static host, and a browser: as long as the tests of the file that imports
// this run.
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';
import { host, type Host } from './host';
import { browser, dist } from './page';

export let b: Browser;
export let site: Host;

beforeAll(async () => {
  [b, site] = await Promise.all([browser(), host(dist)]);
});
afterAll(async () => {
  await b?.close();
  await site?.close();
});
