// How numbers and sizes are written on the page: short, with a sign where the sign is the message.

const MINUS = '\u2212';

/**
 * A signed score of so many digits: "+0.312", "−0.050", "0", "+1.2e-6"; "–" for what is no number.
 */
export function signed(x: number | null | undefined, digits = 3): string {
  if (x === null || x === undefined || !Number.isFinite(x)) return '–';
  if (x === 0) return '0';
  const size = Math.abs(x);
  const sign = x > 0 ? '+' : MINUS;
  if (size < 0.5 * 10 ** -digits) return sign + size.toExponential(1).replace('-', MINUS);
  if (size >= 1e5) return sign + size.toExponential(2).replace('+', '');
  return sign + size.toFixed(digits);
}

/** A number without a plus in front and without zeros at its end: "150", "−0.05". */
export function plain(x: number | null | undefined, digits = 3): string {
  const text = signed(x, digits).replace(/^\+/, '');
  return text.includes('e') ? text : trimmed(text);
}

/** A sentence of the engine with minus signs in its numbers: "Inherent −0.73". */
export const withMinus = (text: string): string => text.replace(/-(?=\.?\d)/g, MINUS);

/** A probability in percent: "98.2 %", "< 0.1 %", "> 99.9 %". */
export function percent(p: number): string {
  if (!Number.isFinite(p)) return '–';
  const x = p * 100;
  if (x > 0 && x < 0.1) return '< 0.1 %';
  if (x < 100 && x > 99.9) return '> 99.9 %';
  return `${trimmed(x.toFixed(1))} %`;
}

/** The prediction of a class in its unit: "98.2 %", "−1.5" of logits and scores, "17.4 months". */
export function value(x: number, unit = ''): string {
  if (unit === 'probability') return percent(x);
  return ['', 'logit', 'score'].includes(unit) ? plain(x) : `${plain(x)} ${unit}`;
}

/** A count with thin spaces between thousands: "12 400". */
export function count(n: number): string {
  return String(Math.round(n)).replace(/\B(?=(\d{3})+(?!\d))/g, '\u202f');
}

/** A number of bytes: "498 kB". */
export function bytes(n: number): string {
  if (n < 1000) return `${n} B`;
  if (n < 1e6) return `${Math.round(n / 1e3)} kB`;
  return `${trimmed((n / 1e6).toFixed(1))} MB`;
}

function trimmed(s: string): string {
  return s.includes('.') ? s.replace(/\.?0+$/, '') : s;
}
