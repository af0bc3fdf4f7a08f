/** What a file holds. */
export type Content = string | Uint8Array<ArrayBuffer> | Blob;

/** Hands a file to the browser to save. It is made here; nothing is fetched. */
export function save(name: string, type: string, content: Content): void {
  const url = URL.createObjectURL(new Blob([content], { type }));
  const anchor = document.createElement('a');
  anchor.href = url;
  anchor.download = name;
  anchor.click();
  // The browser reads the address after this turn of the event loop.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
