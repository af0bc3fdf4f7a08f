// Files of features as others write them: made by NumPy and safetensors (see
// tests/data/make_files.py), and broken ones.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { numbers, type RawArray } from '../../src/look/read/array';
import { boxesOf, patchSide, smallestStep } from '../../src/look/read/coords';
import { embed, hasCoordinates } from '../../src/look/read/embedding';
import { ReadFault } from '../../src/look/read/fault';
import { npyHeader, readNpy } from '../../src/look/read/npy';
import { openNpz } from '../../src/look/read/npz';
import { openSafetensors } from '../../src/look/read/safetensors';
import { withBoxes } from '../../src/look/read/table';
import { archive, crc32, directory, unpack } from '../../src/look/read/zip';

const bytes = (name: string) =>
  new Uint8Array(readFileSync(fileURLToPath(new URL(`../data/files/${name}`, import.meta.url))));
const blob = (name: string) => new Blob([bytes(name)]);

async function bag(made: Blob): Promise<Record<string, RawArray>> {
  const members = await directory('made', made);
  const read = members.map(
    async (m) => [m.name, readNpy(m.name, await unpack('made', made, m))] as const,
  );
  return Object.fromEntries(await Promise.all(read));
}

const npz = async (name: string) => openNpz(name, blob(name), await directory(name, blob(name)));

describe('features with coordinates', () => {
  test.each([
    ['coords.npz', () => npz('coords.npz'), null],
    ['packed.npz', () => npz('packed.npz'), null],
    [
      'coords.safetensors',
      () => openSafetensors('coords.safetensors', blob('coords.safetensors')),
      null,
    ],
  ] as const)(
    '%s: twelve instances of four features on a grid of 256 pixels',
    async (_, open, extent) => {
      const made = await embed(await open());
      const { 'instances.npy': instances, 'boxes.npy': boxes } = await bag(made.bag);
      expect(instances!.shape).toEqual([12, 4]);
      const values = numbers(instances!);
      expect(values[20]).toBe(2);
      expect(values[25]).toBe(2);
      expect(boxes!.shape).toEqual([12, 4]);
      expect([...numbers(boxes!)].slice(20, 24)).toEqual([1256, 1256, 1512, 1512]);
      expect(made.extent).toEqual(extent);
    },
  );

  test('half precision is kept as it is, and a missing place is said', async () => {
    const made = await embed(await openSafetensors('half.safetensors', blob('half.safetensors')));
    const { 'instances.npy': instances, 'boxes.npy': boxes } = await bag(made.bag);
    expect(instances).toMatchObject({ shape: [12, 4], descr: '<f2' });
    expect(boxes).toBeUndefined();
    expect(made.notes.join(' ')).toContain('no coordinates');
  });

  test('a side that the file does not say is the smallest step, and that is said', async () => {
    expect((await embed(await npz('coords.npz'))).notes.join(' ')).toContain(
      'two coordinates is used: 256.',
    );
    expect((await embed(await npz('packed.npz'))).notes.join(' ')).not.toContain(
      'smallest distance',
    );
    expect(patchSide({ patch_size: 128, patch_level: 1, downsample: [4, 4] }, [])).toEqual({
      side: 512,
      note: '',
    });
    expect(patchSide({ patch_size: 128, patch_level: 2 }, [0, 0, 512, 0]).side).toBe(512);
    expect(smallestStep([0, 0, 10, 7, 10, 0])).toBe(7);
    expect(smallestStep([5, 5])).toBe(1);
  });

  test('archives of the engine’s own kind are left to it', () => {
    expect(hasCoordinates(['instances', 'boxes', 'coords'])).toBe(false);
    expect(hasCoordinates(['instances', 'offsets'])).toBe(false);
    expect(hasCoordinates(['features', 'coords'])).toBe(true);
    expect(hasCoordinates(['slide/coords'])).toBe(true);
  });

  test('coordinates that do not fit are refused', async () => {
    const file = archive([
      {
        name: 'features.npy',
        parts: [npyHeader({ shape: [2, 2], descr: '<f4' }), new Uint8Array(16)],
      },
      {
        name: 'coords.npy',
        parts: [npyHeader({ shape: [3, 2], descr: '<i4' }), new Uint8Array(24)],
      },
    ]);
    const arrays = await openNpz('odd.npz', file, await directory('odd.npz', file));
    await expect(embed(arrays)).rejects.toThrow(/coords has the shape 3 × 2.*2 × 2/);
    expect(() => boxesOf([NaN, 0], 5)).toThrow(/outside of any picture/);
    expect(() => boxesOf([3e9, 0], 5)).toThrow(/outside of any picture/);
  });
});

test('a table with columns x and y gets boxes, and a name for its bag', () => {
  const made = withBoxes('coords.csv', new TextDecoder().decode(bytes('coords.csv')))!;
  const [head, first, second] = made.text.split('\n');
  expect(head).toBe('bag,x0,y0,x1,y1,f1,f2,f3,f4');
  expect(first).toMatch(/^0,1000,1000,1256,1256,/);
  expect(second).toMatch(/^0,1256,1000,1512,1256,/);
  expect(withBoxes('t', 'slide,coord_x,coord_y,f1\na,0,0,1\na,8,0,2\nb,0,8,3\n')!.text).toBe(
    'slide,x0,y0,x1,y1,f1\na,0,0,8,8,1\na,8,0,16,8,2\nb,0,8,8,16,3\n',
  );
  expect(withBoxes('t', 'bag,f1,f2\na,1,2\n')).toBeNull();
  expect(withBoxes('t', 'bag,x0,y0,x1,y1,x,y\n')).toBeNull();
});

describe('broken files', () => {
  test.each(['coords.safetensors', 'packed.npz', 'coords.npz'])(
    '%s, cut short or changed anywhere, is read or refused in words',
    async (name) => {
      const whole = bytes(name);
      const open = (b: Blob) =>
        name.endsWith('.npz')
          ? directory(name, b).then((members) => openNpz(name, b, members))
          : openSafetensors(name, b);
      for (let i = 0; i < 60; i++) {
        const broken = i < 20 ? whole.slice(0, (i * whole.length) / 20) : whole.slice();
        if (i >= 20)
          for (let k = 0; k < 4; k++)
            broken[(i * 7919 + k * 104_729) % broken.length] = (i * 37 + k * 91) & 255;
        try {
          await embed(await open(new Blob([broken])));
        } catch (cause) {
          expect(cause, `${name}, ${i}: ${String(cause)}`).toBeInstanceOf(ReadFault);
        }
      }
    },
  );

  test('sizes are not believed before anything is allocated', async () => {
    const huge = (header: object) => {
      const text = new TextEncoder().encode(JSON.stringify(header));
      const size = new DataView(new ArrayBuffer(8));
      size.setBigUint64(0, BigInt(text.length), true);
      return new Blob([size, text]);
    };
    const claim = { features: { dtype: 'F32', shape: [1e6, 1e6], data_offsets: [0, 4e12] } };
    await expect(openSafetensors('s', huge(claim))).rejects.toMatchObject({ kind: 'limit' });
    const outside = { features: { dtype: 'F32', shape: [10, 10], data_offsets: [0, 400] } };
    await expect(openSafetensors('s', huge(outside))).rejects.toMatchObject({ kind: 'format' });
    await expect(
      openSafetensors('s', huge({ a: { dtype: 'F8', shape: [], data_offsets: [0, 1] } })),
    ).rejects.toMatchObject({ kind: 'unsupported' });
    const [member] = await directory('p', blob('packed.npz'));
    await expect(
      unpack('p', blob('packed.npz'), { ...member!, size: 2 ** 29 }),
    ).rejects.toMatchObject({
      kind: 'format',
    });
    await expect(
      unpack('p', blob('packed.npz'), { ...member!, size: 2 ** 31 }),
    ).rejects.toMatchObject({
      kind: 'limit',
    });
    expect(() =>
      readNpy('n', new Uint8Array([...npyHeader({ shape: [4, 4], descr: '<f4' }), 1, 2, 3])),
    ).toThrow(/3 bytes of numbers, but its shape needs 64/);
  });
});

test('the checksum is that of zip archives', () => {
  expect(crc32([new TextEncoder().encode('1234'), new TextEncoder().encode('56789')])).toBe(
    0xcbf43926,
  );
});
