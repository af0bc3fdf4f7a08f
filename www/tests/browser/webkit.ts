// A WebKit by its WebDriver: as much of the protocol as the tests use.
import { spawn, type ChildProcess } from 'node:child_process';
import { createServer, type AddressInfo } from 'node:net';

export interface WebKit {
  go(url: string): Promise<void>;
  /** Runs the body of a function in the page, and returns what it returns. */
  run<T>(body: string): Promise<T>;
  /** The visible part of the page as the bytes of a PNG file. */
  screenshot(): Promise<Buffer>;
  close(): Promise<void>;
}

/** Starts the driver by a command such as tools/dev/webkit prints, and a browser in it. */
export async function webkit(command: string, width: number, height: number): Promise<WebKit> {
  const port = await free();
  const [program, ...args] = [...command.split(' '), `--port=${port}`];
  // A group of its own, so that the screen ends with the driver.
  const driver = spawn(program!, args, { detached: true, stdio: 'ignore' });
  const ask = async (method: string, path: string, body?: unknown): Promise<unknown> => {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { method, body: text });
    const { value } = (await response.json()) as { value: unknown };
    const { error, message } = (value ?? {}) as { error?: string; message?: string };
    if (error) throw new Error(`WebKit, ${method} ${path}: ${error}: ${message}`);
    return value;
  };
  try {
    await started(driver, port);
    const { sessionId } = (await ask('POST', '/session', { capabilities: {} })) as {
      sessionId: string;
    };
    const session = `/session/${sessionId}`;
    await ask('POST', `${session}/window/rect`, { width, height });
    return {
      go: async (url) => void (await ask('POST', `${session}/url`, { url })),
      run: async <T>(script: string) =>
        (await ask('POST', `${session}/execute/sync`, { script, args: [] })) as T,
      screenshot: async () =>
        Buffer.from((await ask('GET', `${session}/screenshot`)) as string, 'base64'),
      close: async () => {
        await ask('DELETE', session).catch(() => {});
        end(driver);
      },
    };
  } catch (error) {
    end(driver);
    throw error;
  }
}

function end({ pid, exitCode }: ChildProcess): void {
  if (pid !== undefined && exitCode === null) process.kill(-pid);
}

/** Waits until the driver takes connections. */
async function started(driver: ChildProcess, port: number): Promise<void> {
  let failed: Error | null = null;
  driver.once('error', (error) => (failed = error));
  for (let tries = 0; tries < 100; tries++) {
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
