/** The colours of maps, which are those that the engine draws with. */

import { colours, type PaletteName, paletteNames } from "../colours.js";

/** The colours of a theme: those that the engine draws with. */
export interface Palette {
  paper: string;
  ink: string;
  accent: string;
  support: string;
  refute: string;
  /** Signs on the strongest colours. */
  supportMark: string;
  refuteMark: string;
  /** Words on paper. */
  supportText: string;
  refuteText: string;
  neutral: string;
  /** A score that is not evidence. */
  noise: string;
}

/** The palette of a pair of colours on light or on dark. */
export function paletteOf(dark: boolean, name: PaletteName = paletteNames[0]): Palette {
  return { ...colours[name][dark ? "dark" : "light"], accent: dark ? "#a3b4ff" : "#2f4bb8" };
}

/**
 * The colours of a scale from the strongest that refutes to the strongest that supports, for a
 * gradient.
 */
export function ramp(p: Palette): [offset: number, colour: string][] {
  const steps = [-1, -0.7, -0.4, -0.2, -0.07, 0, 0.07, 0.2, 0.4, 0.7, 1];
  return steps.map((t) => [
    (t + 1) / 2,
    mixed(p.neutral, t < 0 ? p.refute : p.support, tint(Math.abs(t))),
  ]);
}

/** The ramp as an image of CSS. */
export const rampCSS = (p: Palette): string =>
  `linear-gradient(90deg,${ramp(p)
    .map(([at, colour]) => `${colour} ${100 * at}%`)
    .join(",")})`;

// Between two colours #rrggbb.
function mixed(a: string, b: string, t: number): string {
  const part = (of: string, at: number) => parseInt(of.slice(at, at + 2), 16);
  return `#${[1, 3, 5]
    .map((at) => Math.round(part(a, at) * (1 - t) + part(b, at) * t))
    .map((v) => v.toString(16).padStart(2, "0"))
    .join("")}`;
}

/** Share of colour in a patch by the strength of its score, as draw.Tint of the engine. */
export const tint = (t: number) => Math.sqrt(Math.min(1, t));
