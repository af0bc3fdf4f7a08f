// What is wrong with a file that was opened, and what is to be known of one that could be. Sentences go on after the
// file's name, or name it themselves.
const by = (sides: readonly unknown[]) => sides.join(' × ');
const few = (names: readonly string[]) => `${names.slice(0, 12).join(', ')}${names.length > 12 ? ', …' : ''}`;

export const read = {
  of: (name: string, words: string) => `${name}: ${words}`,
  noReason: 'no reason given',
  noMemory: (width: number, height: number) =>
    `the browser has no memory left for ${width} × ${height} pixels`,
  noMemoryHere: 'the browser has no memory left for a picture of this size',

  worker: {
    stopped: (reason: string) => `the worker that reads files was stopped: ${reason}; a smaller file may fit`,
    late: (seconds: number) => `it took longer than ${seconds} seconds`,
    closed: 'this picture is closed',
    noHash: 'a file of more than 1 GiB is not hashed',
    missing: (path: string, status: number) => `the server has no ${path} (${status})`,
  },

  array: {
    shape: (name: string, shape: readonly unknown[]) =>
      `${name} claims the shape ${by(shape)}, which is none`,
    tooLarge: (name: string, sides: readonly number[]) =>
      `${name} of ${by(sides)} is larger than 1 GiB, the most that a bag may take`,
    type: (descr: string) => `numbers of type ${descr} are not read here`,
    notAsShaped: (name: string) => `${name} does not hold what its shape says`,
  },

  hdf5: {
    tooLarge:
      'it is larger than 1 GiB; a .safetensors or .npz file may be read without being in memory as a whole',
    tooMany: (name: string, shape: readonly number[], most: number) =>
      `${name} of ${by(shape)} holds more than ${most} numbers, the most that are read from HDF5; as .safetensors or .npz more are`,
    pieces: (name: string, chunk: readonly number[]) =>
      `${name} claims to be stored in pieces of ${by(chunk)}`,
    unsupported: (words: string) =>
      `it stores its data in a way that is not read here (${words}); written again by h5py with its defaults, or as .npz or .safetensors, it is`,
    damaged: (words: string) => `it is no HDF5 file, or it is damaged (${words || read.noReason})`,
  },

  features: {
    coords: (
      file: string,
      coords: { name: string; shape: readonly number[] },
      features: { name: string; shape: readonly number[] },
    ) =>
      `${file}: ${coords.name} has the shape ${by(coords.shape)}, and ${features.name} ${by(features.shape)}; ${features.shape[0]} instances need coordinates of shape ${features.shape[0]} × 2`,
    noCoords: (file: string) => `${file} holds no coordinates: instances have no place.`,
    leftOut: (file: string, names: readonly string[]) =>
      `${file}: left out, being no part of a bag: ${few(names)}.`,
    none: (file: string, names: readonly string[]) =>
      `${file}: no array of it could be features (${held(names)})`,
    several: (file: string, names: readonly string[]) =>
      `${file}: several arrays could be the bag; call one of them features (${held(names)})`,
    rows: (file: string, name: string, shape: readonly number[]) =>
      `${file}: ${name} has the shape ${by(shape) || '()'}, and features need a row for each instance`,
    sideGuessed: (side: number) =>
      `The side of a patch, ${side}, is the smallest distance between two coordinates: the file does not say it.`,
    noPlace: (i: number, value: number) => `coordinate ${i} is ${value}, which is no place in a picture`,
  },

  npy: {
    none: 'it is no .npy file',
    short: 'its header is cut short',
    header: (header: string) => `a header such as ${header} is not read here`,
    length: (found: number, wanted: number) => `it holds ${found} bytes of numbers where ${wanted} belong`,
  },

  safetensors: {
    short: 'it is too short',
    claims: (size: number) => `its header claims ${size} bytes`,
    noJSON: 'its header is no JSON',
    noObject: 'its header is no JSON object',
    missing: 'its shape or its place is missing',
    outside: 'it does not lie inside of the file as its shape says',
  },

  zip: {
    none: 'it is no zip archive, or its end is missing',
    noDirectory: 'its directory is not found',
    outside: 'its directory lies outside of the file',
    short: 'its directory is cut short',
    tooLarge: 'it unpacks to more than 1 GiB',
    impossible: (size: number) => `it claims to unpack to ${size} bytes, which is impossible`,
    memberOutside: 'it lies outside of the file',
    elsewhere: 'it does not lie where the directory says',
    memberShort: 'it is cut short',
    method: (method: number) => `it is packed by method ${method}; deflate and none are read`,
    sizes: 'its two sizes differ',
    damaged: 'it cannot be unpacked',
    length: (size: number) => `it does not unpack to the ${size} bytes that the archive promises`,
  },

  picture: {
    empty: 'the picture has no pixels',
    tooLarge: (name: string, width: number, height: number, most: number, side: number) =>
      `${name} has ${width} × ${height} pixels; the page takes ${most} × ${most}, and no side above ${side}. Export a smaller level of it, or open features with coordinates instead`,
    damaged: 'the picture is damaged',
    none: (name: string) =>
      `${name} is no picture that this browser shows; PNG, JPEG, WebP and TIFF are read`,
  },

  tiff: {
    bits: (bits: number, fraction: boolean) =>
      `its pixels are numbers of ${bits} bits${fraction ? ' with a fraction' : ''}; 8 and 16 bits are read`,
    upper: (bits: number) => `of ${bits} bits a pixel the upper eight are taken.`,
    level: (name: string, whole: readonly [number, number], shown: readonly [number, number]) =>
      `${name} has ${by(whole)} pixels, more than the page shows: its level of ${by(shown)} is shown. Patches are cut at full resolution.`,
    unsupported: (words: string) => `${words}; LZW, deflate, JPEG and PackBits are read`,
    damaged: (words: string) => `it is no TIFF file, or it is damaged (${words})`,
  },

  cut: {
    whole: 'side and stride of patches have to be whole numbers of pixels, at least 1',
    small: (width: number, height: number, size: number) =>
      `the picture has ${width} × ${height} pixels and holds no patch of ${size} × ${size}`,
    tooMany: (across: number, down: number, most: number) =>
      `a grid of ${across} × ${down} patches is more than the ${most} that the page takes; a larger stride makes fewer`,
    none: (background: number, all: number, size: number) =>
      `no patch is darker than ${background} on average: all ${all} patches of ${size} × ${size} pixels are background; raise the threshold, or set it to 0 to keep all`,
    tooLarge: (kept: number, size: number) =>
      `${kept} patches of ${size} × ${size} pixels take more than 1 GiB; a larger stride, or a threshold, makes fewer`,
    pictures: (n: number, width: number, height: number) =>
      `${n} pictures of ${width} × ${height} pixels take more than 1 GiB`,
    oneSize: (
      one: { name: string; width: number; height: number },
      first: { name: string; width: number; height: number },
    ) =>
      `${one.name} has ${one.width} × ${one.height} pixels and ${first.name} ${first.width} × ${first.height}; pictures that are an instance each need one size`,
  },
};

function held(names: readonly string[]): string {
  return names.length > 0 ? `it holds ${names.slice(0, 12).join(', ')}` : 'it holds none';
}
