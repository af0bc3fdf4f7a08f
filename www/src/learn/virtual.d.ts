declare module 'virtual:learn/first' {
  import type { Stored } from './results';
  /** The first bag, explained when the site was built. */
  export const stored: Stored;
  /** The other bags, by key. */
  export const others: Record<string, () => Promise<{ default: Stored }>>;
}
