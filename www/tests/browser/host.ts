// A static host, as plain as they come: files below a folder, right types, no headers, under any
// path.
import { createReadStream, statSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, normalize } from 'node:path';

const types: Record<string, string> = {
  '.css': 'text/css',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.svg': 'image/svg+xml',
  '.wasm': 'application/wasm',
};

export interface Host {
  url: string;
  /** Where somebody looks at a model and bags of theirs. */
  look: string;
  /** Paths that it was asked for so far, below its own. */
  asked: string[];
  close(): Promise<void>;
}

/**
 * Serves a folder on the loopback interface below a path such as "/" or "/a/b/", with headers of its
 * own if they are given.
 */
export async function host(
  folder: string,
  path = '/',
  headers: Record<string, string> = {},
): Promise<Host> {
  const all: string[] = [];
  const server = createServer((request, response) => {
    const asked = decodeURIComponent(new URL(request.url ?? '/', 'http://host').pathname);
    const file = asked.startsWith(path)
      ? join(folder, normalize('/' + asked.slice(path.length)))
      : '';
    all.push(asked.slice(path.length));
    const found = [file, join(file, 'index.html')].find((name) => file && isFile(name));
    if (!found) {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, {
      ...headers,
      'Content-Type': types[extname(found)] ?? 'application/octet-stream',
    });
    createReadStream(found).pipe(response);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}${path}`;
  return { url, look: url + 'look/', asked: all, close: () => closed(server) };
}

function isFile(name: string): boolean {
  return statSync(name, { throwIfNoEntry: false })?.isFile() ?? false;
}

function closed(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((done) => server.close(() => done()));
}
