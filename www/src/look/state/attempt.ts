// Drawings that happen in animation frames and effects, where nobody catches what they throw.
import { CanvasError } from '../../lib/canvas';
import { look as words } from '../../strings';
import { warn } from './session.svelte';
import { describe } from './problem';

const refused = new WeakSet<object>();

/**
 * Draws something. If the browser refuses, the page says so once for each `subject`, and the numbers
 * stay.
 */
export function attempt(subject: object, draw: () => void): void {
  try {
    draw();
  } catch (error) {
    if (!(error instanceof CanvasError)) throw error;
    if (refused.has(subject)) return;
    refused.add(subject);
    warn(describe(error, words.strip.table));
  }
}
