// The file with the viewer of slides, fetched once.

let fetched: Promise<typeof import('./viewer')> | null = null;

/** Fetches the viewer, or returns it. After a failure the next call tries again. */
export function fetchViewer(): Promise<typeof import('./viewer')> {
  fetched ??= import('./viewer').catch((cause: unknown) => {
    fetched = null;
    throw cause;
  });
  return fetched;
}
