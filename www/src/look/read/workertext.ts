// In place of workerfile.ts in a page in one file.
import Reader from './worker.ts?worker&inline';

export const startWorker = (): Worker => new Reader({ name: 'reader' });
