// Messages about files: why one cannot be read, and notes about one that can. A sentence names the
// file itself, or follows the file's name.
const by = (sides: readonly unknown[]) => sides.join(' × ');
const first = (names: readonly string[]) =>
  `${names.slice(0, 12).join(', ')}${names.length > 12 ? ', …' : ''}`;
const held = (names: readonly string[]) =>
  names.length > 0 ? `it holds ${first(names)}` : 'it holds no arrays';

export const read = {
  of: (name: string, words: string) => `${name}: ${words}`,
  noReason: 'the browser gives no reason',
  noMemory: (width: number, height: number) =>
    `the browser has no memory left for ${width} × ${height} pixels`,
  noMemoryHere: 'the browser has no memory left for a picture of this size',

  worker: {
    stopped: (reason: string) =>
      `the worker that reads files was stopped: ${reason}; open a smaller file`,
    late: (seconds: number) => `it took longer than ${seconds} seconds`,
    closed: 'this picture is closed',
    noHash: 'a file of more than 1 GiB is not hashed',
    missing: (path: string, status: number) => `the server has no ${path} (${status})`,
  },

  array: {
    shape: (name: string, shape: readonly unknown[]) =>
      `${name} has the invalid shape ${by(shape)}`,
    tooLarge: (name: string, sides: readonly number[]) =>
      `${name} of ${by(sides)} is larger than 1 GiB, the limit for a bag`,
    type: (descr: string) => `numbers of type ${descr} are not supported`,
    notAsShaped: (name: string) => `the content of ${name} does not match its shape`,
  },

  features: {
    coords: (
      file: string,
      coords: { name: string; shape: readonly number[] },
      features: { name: string; shape: readonly number[] },
    ) =>
      `${file}: ${coords.name} has the shape ${by(coords.shape)}, and ${features.name} ` +
      `${by(features.shape)}; ${features.shape[0]} instances need coordinates of shape ` +
      `${features.shape[0]} × 2`,
    noCoords: (file: string) => `${file} holds no coordinates, so instances are drawn in rows.`,
    leftOut: (file: string, names: readonly string[]) =>
      `${file}: these arrays are not part of a bag and are ignored: ${first(names)}.`,
    none: (file: string, names: readonly string[]) =>
      `${file}: none of its arrays can be features (${held(names)})`,
    several: (file: string, names: readonly string[]) =>
      `${file}: several arrays can be the bag; name one of them features (${held(names)})`,
    rows: (file: string, name: string, shape: readonly number[]) =>
      `${file}: ${name} has the shape ${by(shape) || '()'}, and features need a row for ` +
      'each instance',
    sideGuessed: (side: number) =>
      'The file does not state the side of a patch. The smallest distance between two ' +
      `coordinates is used: ${side}.`,
    noPlace: (i: number, value: number) =>
      `coordinate ${i} is ${value}, which is outside of any picture`,
  },

  npy: {
    none: 'it is not an .npy file',
    short: 'its header is incomplete',
    header: (header: string) => `its header is not supported: ${header}`,
    length: (found: number, wanted: number) =>
      `it holds ${found} bytes of numbers, but its shape needs ${wanted}`,
  },

  safetensors: {
    short: 'it is too short',
    claims: (size: number) => `its header states a length of ${size} bytes, more than the file has`,
    noJSON: 'its header is not JSON',
    noObject: 'its header is not a JSON object',
    missing: 'its shape or its offsets are missing',
    outside: 'its offsets do not match its shape or the file',
  },

  zip: {
    none: 'it is not a zip archive, or its end is missing',
    noDirectory: 'its directory is missing',
    outside: 'its directory lies outside of the file',
    short: 'its directory is incomplete',
    tooLarge: 'it unpacks to more than 1 GiB',
    impossible: (size: number) => `its stated unpacked size of ${size} bytes is impossible`,
    memberOutside: 'it lies outside of the file',
    elsewhere: 'it does not begin at the offset in the directory',
    memberShort: 'it is incomplete',
    method: (method: number) =>
      `it is packed by method ${method}; only deflate and stored are supported`,
    sizes: 'its two sizes differ',
    damaged: 'it cannot be unpacked',
    length: (size: number) => `it does not unpack to ${size} bytes, the size in the directory`,
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

  tiff: {
    bits: (bits: number, fraction: boolean) =>
      `its pixels are ${fraction ? 'fractions' : 'integers'} of ${bits} bits; integers ` +
      'of 8 and 16 bits are supported',
    upper: (bits: number) => `the upper eight of the ${bits} bits of a pixel are used.`,
    level: (name: string, whole: readonly [number, number], shown: readonly [number, number]) =>
      `${name} has ${by(whole)} pixels, more than the page can show; it shows the level ` +
      `of ${by(shown)}. Patches are cut at full resolution.`,
    jpeg2000:
      'JPEG 2000 is not supported; export the slide as a TIFF with JPEG, LZW or deflate compression',
    unsupported: (words: string) => `${words}; LZW, deflate, JPEG and PackBits are supported`,
    damaged: (words: string) => `it is not a TIFF file, or it is damaged (${words})`,
  },

  cut: {
    whole: 'side and stride of patches must be whole numbers of at least 1',
    small: (width: number, height: number, size: number) =>
      `the picture has ${width} × ${height} pixels, smaller than a patch of ${size} × ` +
      `${size}; choose a smaller side`,
    tooMany: (across: number, down: number, most: number) =>
      `a grid of ${across} × ${down} patches is above the limit of ${most}; choose a larger stride`,
    none: (background: number, all: number, size: number) =>
      `no patch is darker than ${background} on average, so all ${all} patches of ` +
      `${size} × ${size} pixels are background; increase the threshold, or set it to 0 ` +
      'to keep all',
    tooLarge: (kept: number, size: number) =>
      `${kept} patches of ${size} × ${size} pixels take more than 1 GiB; choose a larger ` +
      'stride, or set a threshold',
    pictures: (n: number, width: number, height: number) =>
      `${n} pictures of ${width} × ${height} pixels take more than 1 GiB`,
    oneSize: (
      one: { name: string; width: number; height: number },
      first: { name: string; width: number; height: number },
    ) =>
      `${one.name} has ${one.width} × ${one.height} pixels and ${first.name} ` +
      `${first.width} × ${first.height}; pictures that are one instance each must have ` +
      'the same size',
  },
};
