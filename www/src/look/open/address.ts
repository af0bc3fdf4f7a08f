// What the page's address asks for by its query, beside the example.
import type { Device } from '../../lib/engine';

/**
 * The device that an address asks for: look/?device=auto, or look/?device=gpu, which takes software
 * adapters, too. Undefined for the CPU.
 */
export function deviceOf(query: string): Device {
  const device = new URLSearchParams(query).get('device');
  return device === 'auto' || device === 'gpu' ? device : undefined;
}

/** The page's address with one part of its query changed, without a hash; '' removes the part. */
export function addressWith(part: 'example' | 'device', value: string): string {
  const query = new URLSearchParams(location.search);
  if (value) query.set(part, value);
  else query.delete(part);
  const text = query.toString();
  return location.pathname + (text && `?${text}`);
}
