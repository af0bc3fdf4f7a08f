/** Starts the worker that reads pictures, from a file of its own. */
export const startWorker = (): Worker =>
  new Worker(new URL('./worker.ts', import.meta.url), { type: 'module', name: 'reader' });
