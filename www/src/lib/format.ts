// How numbers and sizes are written on the page: short, with a sign where the sign is the message.
// The decimal sign is that of the page's language, and digits are 0 to 9, as in formulas. As in the
// International System of Units, a thin space separates thousands, and a space precedes "%".

const MINUS = '\u2212';

const numbers = new Intl.NumberFormat(`${LANGUAGE}-u-nu-latn`, { useGrouping: false });
const decimal = numbers.formatToParts(0.5).find(({ type }) => type === 'decimal')!.value;

/** Whether the page's language is written from right to left. */
const leftwards = /^(ar|fa|he|ur)\b/.test(LANGUAGE);

/** A number as the engine and JavaScript write it, with the decimal sign of the page's language. */
const local = (text: string) => text.replace('.', decimal);

/**
 * A number with its sign and its unit as a part of a line. Marks (U+2066, U+2069) keep its direction
 * in a language that is written from right to left.
 */
const apart = (text: string) => (leftwards ? `\u2066${text}\u2069` : text);

/** A number with so many digits behind the decimal sign: "0.3120", "−0.0500"; "–" for what is no number. */
export function fixed(x: number | null | undefined, digits: number): string {
  if (x === null || x === undefined || !Number.isFinite(x)) return '–';
  return apart(local(x.toFixed(digits).replace('-', MINUS)));
}

/**
 * A signed score of so many digits: "+0.312", "−0.050", "0", "+1.2e-6"; "–" for what is no number.
 */
export function signed(x: number | null | undefined, digits = 3): string {
  if (x === null || x === undefined || !Number.isFinite(x)) return '–';
  if (x === 0) return local('0');
  const size = Math.abs(x);
  const sign = x > 0 ? '+' : MINUS;
  return apart(sign + local(unsigned(size, digits)));
}

/**
 * The decimals that the error of a number allows: those of the error's first digit, so that .4312
 * with an error of .05 is .43. `most` without a known error.
 */
export function decimals(error: number | null | undefined, most = 3): number {
  if (!error || !Number.isFinite(error)) return most;
  return Math.min(most, Math.max(0, -Math.floor(Math.log10(error))));
}

/** A number above 0 in ASCII, but for the sign of its exponent. */
function unsigned(x: number, digits: number): string {
  if (x < 0.5 * 10 ** -digits) return x.toExponential(1).replace('-', MINUS);
  if (x >= 1e5) return x.toExponential(2).replace('+', '');
  return x.toFixed(digits);
}

/** A number without a plus in front and without zeros at its end: "150", "−0.05". */
export function plain(x: number | null | undefined, digits = 3): string {
  if (x === null || x === undefined || !Number.isFinite(x)) return '–';
  if (x === 0) return local('0');
  const text = unsigned(Math.abs(x), digits);
  return apart((x < 0 ? MINUS : '') + local(text.includes('e') ? text : trimmed(text)));
}

/** A sentence of the engine with minus signs in its numbers: "Inherent −0.73". */
export const withMinus = (text: string): string => text.replace(/-(?=\.?\d)/g, MINUS);

/** A probability in percent: "98.2 %", "< 0.1 %", "> 99.9 %". */
export function percent(p: number): string {
  if (!Number.isFinite(p)) return '–';
  const x = p * 100;
  if (x > 0 && x < 0.1) return apart(`< ${local('0.1')} %`);
  if (x < 100 && x > 99.9) return apart(`> ${local('99.9')} %`);
  return apart(`${local(trimmed(x.toFixed(1)))} %`);
}

/** The prediction of a class in its unit: "98.2 %", "−1.5" of logits and scores, "17.4 months". */
export function value(x: number, unit = ''): string {
  if (unit === 'probability') return percent(x);
  return ['', 'logit', 'score'].includes(unit) ? plain(x) : `${plain(x)} ${unit}`;
}

/** A count with thin spaces between thousands: "12 400". */
export function count(n: number): string {
  return local(String(Math.round(n)).replace(/\B(?=(\d{3})+(?!\d))/g, '\u202f'));
}

/**
 * The number by which the page names what has an index, such as an instance: numbers count from 1,
 * as `core.Number` of the engine has it. Indices, which count from 0, are in files and addresses.
 */
export const number = (index: number): string => local(String(index + 1));

/** A number of bytes: "498 kB". */
export function bytes(n: number): string {
  if (n < 1000) return `${local(String(n))} B`;
  if (n < 1e6) return `${local(String(Math.round(n / 1e3)))} kB`;
  return `${local(trimmed((n / 1e6).toFixed(1)))} MB`;
}

function trimmed(s: string): string {
  return s.includes('.') ? s.replace(/\.?0+$/, '') : s;
}
