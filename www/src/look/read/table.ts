// Tables of features with the corners of their patches in columns x and y: the engine wants x0, y0,
// x1, y1.
import { patchSide } from './coords';
import { read as words } from '../../strings';

const X = ['x', 'coord_x', 'x_coord', 'coords_x', 'pos_x', 'x_pos', 'left'];
const Y = ['y', 'coord_y', 'y_coord', 'coords_y', 'pos_y', 'y_pos', 'top'];

/**
 * A table as the engine reads it, with sentences about what was made of it; null where nothing has
 * to be done.
 */
export function withBoxes(name: string, text: string): { text: string; notes: string[] } | null {
  const end = text.indexOf('\n');
  const header = (end < 0 ? text : text.slice(0, end)).trim();
  const columns = header.split(',').map((c) => c.trim().toLowerCase());
  const [x, y] = [X, Y].map((among) => columns.findIndex((c) => among.includes(c))) as [
    number,
    number,
  ];
  // A quoted cell may hold a comma; such tables stay as they are.
  if (x < 0 || y < 0 || columns.includes('x0') || text.includes('"')) return null;
  const rows = text
    .slice(end + 1)
    .split(/\r?\n/)
    .filter((row) => row.trim() !== '')
    .map((row) => row.split(','));
  const sizeAt = columns.findIndex((c) => c === 'patch_size' || c === 'size');
  const corners = Float64Array.from(rows.flatMap((row) => [Number(row[x]), Number(row[y])]));
  const attributes = sizeAt >= 0 ? { patch_size: Number(rows[0]?.[sizeAt]) } : {};
  const { side, note } = patchSide(attributes, corners);
  const keep = columns.map((_, i) => i).filter((i) => i !== x && i !== y && i !== sizeAt);
  // A table that begins with a place or a feature names no bag: it is one.
  const first = keep[0] ?? 0;
  const named = first < Math.min(x, y) && !/^(f|feat|feature|dim|v)?_?\d+$/.test(columns[first]!);
  const head = [...(named ? [] : ['bag']), ...keep.map((i) => header.split(',')[i]!.trim())];
  const lines = rows.map((row, r) => {
    const [left, top] = [Math.round(corners[2 * r]!), Math.round(corners[2 * r + 1]!)];
    const rest = keep.map((i) => row[i] ?? '');
    const at = named ? 1 : 0;
    return [
      ...(named ? [rest[0]] : ['0']),
      left,
      top,
      left + Math.round(side),
      top + Math.round(side),
      ...rest.slice(at),
    ].join(',');
  });
  const places = ['x0', 'y0', 'x1', 'y1'];
  const out = [[head[0], ...places, ...head.slice(1)].join(','), ...lines].join('\n') + '\n';
  return { text: out, notes: note ? [words.of(name, note)] : [] };
}
