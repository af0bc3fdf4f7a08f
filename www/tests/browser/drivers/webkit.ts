// A WebKit by its WebDriver: as much of the protocol as the tests use.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { patience } from '../../patience';
import { folder, size, type Driver, type Key } from './driver';

/** The key of an element's identifier, as the protocol defines it. */
const ELEMENT = 'element-6066-11e4-a52e-4f735466cecf';

/** Keys without a character, as the protocol names them. */
const CODES: Partial<Record<Key, string>> = {
  Tab: '\uE004',
  Enter: '\uE007',
  Delete: '\uE017',
  Escape: '\uE00C',
  Home: '\uE011',
  End: '\uE010',
  ArrowRight: '\uE014',
  ArrowDown: '\uE015',
  Shift: '\uE008',
  Control: '\uE009',
};

/** Starts the driver by a command such as tools/dev/need webkit prints, and a browser in it. */
export async function webkit(command: string): Promise<Driver> {
  const port = await free();
  const [program, ...args] = [...command.split(' '), `--port=${port}`];
  const files = folder();
  const settings = join(files.path, '.config');
  mkdirSync(settings);
  writeFileSync(join(settings, 'user-dirs.dirs'), `XDG_DOWNLOAD_DIR="${files.path}"\n`);
  const driver = spawn(program!, args, {
    detached: true, // a group of its own, so that the screen ends with the driver
    stdio: 'ignore',
    env: {
      ...process.env,
      HOME: files.path,
      TMPDIR: files.path,
      XDG_CONFIG_HOME: settings,
      XDG_CACHE_HOME: join(files.path, '.cache'),
      XDG_DATA_HOME: join(files.path, '.local'),
    },
  });
  const ask = async (method: string, path: string, body?: unknown): Promise<unknown> => {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { method, body: text });
    const { value } = (await response.json()) as { value: unknown };
    const { error, message } = (value ?? {}) as { error?: string; message?: string };
    if (error) throw new Error(`WebKit, ${method} ${path}: ${error}: ${message}`);
    return value;
  };
  const end = async (): Promise<void> => {
    await ended(driver);
    files.remove();
  };
  try {
    await started(driver, port);
    const { sessionId } = (await ask('POST', '/session', { capabilities: {} })) as {
      sessionId: string;
    };
    const session = `/session/${sessionId}`;
    const command = (path: string, body: unknown) => ask('POST', session + path, body);
    const run: Driver['run'] = async (f, ...args) =>
      (await command('/execute/sync', {
        script: `return (${String(f)}).apply(null, arguments)`,
        args,
      })) as never;
    const type = async (actions: object[]): Promise<void> =>
      void (await command('/actions', { actions: [{ type: 'key', id: 'keys', actions }] }));
    const down = (value: string) => ({ type: 'keyDown', value });
    const up = (value: string) => ({ type: 'keyUp', value });
    await command('/window/rect', size);
    // A window is higher than its page by the bar of the address.
    const inner = await run(() => ({ width: innerWidth, height: innerHeight }));
    await command('/window/rect', {
      width: 2 * size.width - inner.width,
      height: 2 * size.height - inner.height,
    });
    return {
      go: async (url) => void (await command('/url', { url })),
      run,
      press: async (x, y) => {
        const actions = [
          { type: 'pointerMove', x: Math.round(x), y: Math.round(y) },
          { type: 'pointerDown', button: 0 },
          { type: 'pointerUp', button: 0 },
        ];
        await command('/actions', { actions: [{ type: 'pointer', id: 'mouse', actions }] });
      },
      type: (text) => type([...text].flatMap((value) => [down(value), up(value)])),
      keys: (...names) => {
        const codes = names.map((name) => CODES[name] ?? name);
        return type([...codes.map(down), ...codes.reverse().map(up)]);
      },
      choose: async (selector, paths) => {
        const found = await command('/element', { using: 'css selector', value: selector });
        const element = (found as Record<string, string>)[ELEMENT];
        await command(`/element/${element}/value`, { text: paths.join('\n') });
      },
      screenshot: async () =>
        Buffer.from((await ask('GET', `${session}/screenshot`)) as string, 'base64'),
      saved: files.saved,
      close: async () => {
        await ask('DELETE', session).catch(() => {});
        await end();
      },
    };
  } catch (error) {
    await end();
    throw error;
  }
}

/** Ends the driver with all that it started. */
async function ended(driver: ChildProcess): Promise<void> {
  if (driver.pid === undefined || driver.exitCode !== null) return;
  const exit = once(driver, 'exit');
  process.kill(-driver.pid);
  await exit;
}

/** Waits until the driver takes connections. */
async function started(driver: ChildProcess, port: number): Promise<void> {
  let failed: Error | null = null;
  driver.once('error', (error) => (failed = error));
  for (const end = Date.now() + patience; Date.now() < end;) {
    if (failed) throw failed;
    if (driver.exitCode !== null)
      throw new Error(`the WebKit driver ended with ${driver.exitCode}`);
    const ready = await fetch(`http://127.0.0.1:${port}/status`).catch(() => null);
    if (ready) return;
    await new Promise((done) => setTimeout(done, 200));
  }
  throw new Error('the WebKit driver takes no connections');
}

/** A port that nobody listens on. */
function free(): Promise<number> {
  const server = createServer();
  return new Promise((done) =>
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => done(port));
    }),
  );
}
