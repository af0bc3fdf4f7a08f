// Keeps the site for use without a network. What is kept is the site itself, file by file as it was
// built, and nothing else: no model or bag of a reader's, no answer of an engine ever passes
// through here. Of its examples those that are megabytes, and the program for graphics
// processors, are kept once they were opened: pages put them there (offline.ts).
//
// A page that is open keeps the files that it was built with: a newer version is fetched beside the
// old one, and takes over when the last page of the old one is closed. Until then, online, pages
// come from the network, so that a visit sees what is newest.

const VERSION = '__VERSION__';
/** The SHA-256 of each file in base64. */
const FILES = JSON.parse('__FILES__');
const EXAMPLES = JSON.parse('__EXAMPLES__');
const PREFIX = 'bagscope ';
/** Of all versions: what a name with a hash stands for does not change. */
const OPENED = 'bagscope-opened';
/** A page that takes longer than this, in milliseconds, comes from what is kept. */
const PATIENCE = 3000;

const address = (file) => new URL(file, registration.scope).href;
const kept = new Map(Object.entries(FILES).map(([file, hash]) => [address(file), hash]));
const examples = new Set(EXAMPLES.map(address));
/** Names with a hash of their content mean the same for ever. */
const forever = /\/assets\/[^/]+-[\w-]{8}\.\w+$/;

addEventListener('install', (event) => event.waitUntil(keep()));
addEventListener('activate', (event) => event.waitUntil(forget()));

addEventListener('fetch', (event) => {
  const { request } = event;
  const url = new URL(request.url);
  url.hash = url.search = '';
  if (request.method !== 'GET' || !(kept.has(url.href) || examples.has(url.href))) return;
  event.respondWith(forever.test(url.pathname) ? first(request, url) : newest(request, url));
});

async function keep() {
  const cache = await caches.open(PREFIX + VERSION);
  await Promise.all([...kept].map(async (entry) => cache.put(entry[0], await intact(...entry))));
}

/** What another version has already, or the browser, is not fetched again. */
async function intact(url, hash) {
  const own = forever.test(url) && (await caches.match(url));
  if (own && (await sha256(own)) === hash) return own;
  const answer = await fetch(url, { cache: forever.test(url) ? 'default' : 'no-cache' });
  // Neither a part of a file, nor what another origin answered, nor the page of a host that answers
  // for a missing file, nor a file of another version.
  if (answer.status !== 200 || answer.type !== 'basic' || (await sha256(answer)) !== hash)
    throw new Error(`${url}: ${answer.status}, not the file of this version`);
  // Browsers refuse a page that was kept as the answer to a redirected request.
  return answer.redirected ? new Response(answer.body, { headers: answer.headers }) : answer;
}

async function sha256(answer) {
  const hash = await crypto.subtle.digest('SHA-256', await answer.clone().arrayBuffer());
  return btoa(String.fromCharCode(...new Uint8Array(hash)));
}

async function forget() {
  for (const name of await caches.keys())
    if (name.startsWith(PREFIX) && name !== PREFIX + VERSION) await caches.delete(name);
  if (!(await caches.has(OPENED))) return;
  const opened = await caches.open(OPENED);
  for (const { url } of await opened.keys()) if (!examples.has(url)) await opened.delete(url);
}

async function first(request, url) {
  return (await caches.match(url.href)) ?? fetch(request);
}

async function newest(request, url) {
  const own = await (await caches.open(PREFIX + VERSION)).match(url.href);
  const answer = fetch(request);
  if (!own) return answer;
  const late = new Promise((done) => setTimeout(done, PATIENCE, own));
  return Promise.race([answer.catch(() => own), late]);
}
