// What tests do with a browser of any make: as little as Playwright and a WebDriver have in common.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The size of a window's page in CSS pixels. */
export const size = { width: 1000, height: 900 };

/** A key by its name in `KeyboardEvent.key`. */
export type Key =
  | 'Tab'
  | 'Enter'
  | 'Escape'
  | 'Home'
  | 'End'
  | 'ArrowRight'
  | 'ArrowDown'
  | 'Shift'
  | 'Control'
  | 'Delete'
  | ' '
  | 'x'
  | 'v';

export interface Driver {
  /** Opens an address, and waits until it is loaded. */
  go(url: string): Promise<void>;
  /** Calls a function in the page with values that JSON can carry. */
  run<A extends unknown[], T>(f: (...args: A) => T | Promise<T>, ...args: A): Promise<T>;
  /** Presses and releases the mouse at a point of the viewport, in CSS pixels. */
  press(x: number, y: number): Promise<void>;
  /** Types into the element that has the focus. */
  type(text: string): Promise<void>;
  /** Presses keys together, such as Shift and Tab. */
  keys(...names: Key[]): Promise<void>;
  /** Chooses files in an input, by their paths. */
  choose(selector: string, paths: string[]): Promise<void>;
  /** The visible part of the page as the bytes of a PNG file. */
  screenshot(): Promise<Buffer>;
  /** The bytes of a file that the page has saved, or null while it is not complete. */
  saved(name: string): Buffer | null;
  close(): Promise<void>;
}

/** A folder for what a browser stores, which goes with it. */
export interface Folder {
  path: string;
  saved(name: string): Buffer | null;
  remove(): void;
}

export function folder(): Folder {
  const path = mkdtempSync(join(tmpdir(), 'bagscope-browser-'));
  return {
    path,
    saved(name) {
      const file = join(path, name);
      // Firefox writes beside an empty file of the name until all bytes are there.
      if (!existsSync(file) || existsSync(`${file}.part`)) return null;
      const bytes = readFileSync(file);
      return bytes.length > 0 ? bytes : null;
    },
    // A browser that has just ended may still be writing.
    remove: () => rmSync(path, { recursive: true, force: true, maxRetries: 20, retryDelay: 250 }),
  };
}
