// Long work in pieces: between them the browser answers, and paints.

/** Comes after what the browser has to do at once. */
export const nextTask = (): Promise<unknown> => new Promise((done) => setTimeout(done, 0));

/** Comes when there is nothing else to do, or after a second at last. */
export function idle(): Promise<unknown> {
  return new Promise((done) => {
    if ('requestIdleCallback' in window) requestIdleCallback(done, { timeout: 1000 });
    else setTimeout(done, 200);
  });
}
