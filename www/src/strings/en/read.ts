// Messages about files: why one cannot be read, and notes about one that can. A sentence names the
// file itself, or follows the file's name.
const by = (sides: readonly unknown[]) => sides.join(' × ');

export const read = {
  of: (name: string, words: string) => `${name}: ${words}`,
  canvas: (width: number, height: number) =>
    `the browser does not draw on a canvas of ${width} × ${height} pixels: its memory is exhausted, ` +
    'or a setting forbids it. Close other tabs or allow canvases for this page, then reload it',
  noReason: 'the browser gives no reason',
  largeModel: (name: string) =>
    `${name} has 2 GiB or more, and ONNX files have less: the weights of larger models are in ` +
    'files of their own. Export it with external data, and open all of its files together',

  worker: {
    stopped: (reason: string) => `the worker that reads files was stopped: ${reason}`,
    late: (seconds: number) => `it took longer than ${seconds} seconds`,
    closed: 'this picture is closed',
    noHash: 'a file of more than 1 GiB is not hashed',
    missing: (path: string, status: number) => `the server has no ${path} (${status})`,
    unreachable: (path: string) => `${path} cannot be fetched; check the connection to the network`,
  },

  picture: {
    empty: 'the picture has no pixels',
    tooLarge: (name: string, width: number, height: number, most: number, side: number) =>
      `${name} has ${width} × ${height} pixels; the limit is ${most} × ${most}, and ` +
      `${side} for a side. Export a smaller level of it, or open features with ` +
      'coordinates instead',
    damaged: 'the picture is damaged',
    none: (name: string) =>
      `${name} is not a picture that this browser can show; PNG, JPEG, WebP and TIFF are supported`,
  },

  patches: { whole: 'side and stride of patches must be whole numbers of at least 1' },

  tiff: {
    level: (name: string, whole: readonly [number, number], shown: readonly [number, number]) =>
      `${name} has ${by(whole)} pixels, more than the page can show; it is shown with ` +
      `${by(shown)}. Patches are cut at full resolution.`,
  },
};
