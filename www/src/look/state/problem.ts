// Errors in words: what failed, why, and what is still there.
import { BagscopeError, type ErrorKind } from 'bagscope';
import { CanvasError } from '../../lib/canvas';
import { look as words } from '../../strings';
import { ReadFault } from '../read/fault';
import { FieldError } from './fields';
import type { Problem } from './types';

const titles: Record<Exclude<ErrorKind, 'cancelled'> | 'canvas', string> = words.problems;

/** Whether an error only says that somebody stopped the work. */
export function isCancelled(error: unknown): boolean {
  return (
    (error instanceof BagscopeError && error.kind === 'cancelled') ||
    (error instanceof DOMException && error.name === 'AbortError')
  );
}

/** An error as the page shows it; `kept` says what the user still has. */
export function describe(error: unknown, kept = ''): Problem {
  if (error instanceof BagscopeError && error.kind !== 'cancelled') {
    const { reason } = error.details;
    return {
      title: titles[error.kind] ?? titles.internal,
      // The message of an exceeded limit names an option of the npm package, which users of the
      // page cannot set.
      text: reason ? join(`${reason}; ${words.raise}`, kept) : join(error.message, kept),
      retry: error.kind === 'internal',
    };
  }
  if (error instanceof ReadFault || error instanceof CanvasError)
    return {
      title: titles[error.kind === 'unsupported' ? 'format' : error.kind],
      text: join(error.message, kept),
    };
  if (error instanceof FieldError)
    return { title: titles.setting, text: join(error.message, kept) };
  // The browser cannot read the file any more: it was moved, changed or is not allowed.
  if (error instanceof DOMException && /^Not(Found|Readable)Error$/.test(error.name))
    return { title: titles.format, text: join(words.messages.unreadable, kept) };
  const message = error instanceof Error ? error.message : String(error);
  return { title: titles.internal, text: join(message, kept), retry: true };
}

function join(message: string, kept: string): string {
  const text = message.trim();
  // A sentence may begin with the name of a file, which is left as it is.
  const sentence = /^[a-z]+[ ,:]/.test(text) ? text.charAt(0).toUpperCase() + text.slice(1) : text;
  return [/[.!?]$/.test(sentence) ? sentence : sentence + '.', kept].filter(Boolean).join(' ');
}
