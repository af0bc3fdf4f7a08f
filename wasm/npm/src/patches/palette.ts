/** The colours of maps, which are those that the engine draws with. */

/** The colours of a theme: those that the engine draws with. */
export interface Palette {
  paper: string;
  ink: string;
  accent: string;
  support: string;
  refute: string;
  neutral: string;
  /** A score that is not evidence. */
  noise: string;
}

export const palettes: Record<"light" | "dark", Palette> = {
  light: {
    paper: "#ffffff",
    ink: "#20242a",
    accent: "#2f4bb8",
    support: "#22a86c",
    refute: "#d03c24",
    neutral: "#e5e8ec",
    noise: "#ced2d8",
  },
  dark: {
    paper: "#14171c",
    ink: "#e6eaf0",
    accent: "#a3b4ff",
    support: "#34c789",
    refute: "#e25236",
    neutral: "#2e343c",
    noise: "#4a515b",
  },
};

/**
 * The colours of a scale from the strongest that refutes to the strongest that supports, for a
 * gradient.
 */
export function ramp(p: Palette): [offset: number, colour: string][] {
  const weak = (full: string) => mixed(p.neutral, full, WEAKEST);
  return [
    [0, p.refute],
    [0.5, weak(p.refute)],
    [0.5, weak(p.support)],
    [1, p.support],
  ];
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

/**
 * Share of colour in a patch of the smallest score that is evidence, as in the engine"s drawings:
 * its sign is seen.
 */
const WEAKEST = 0.25;
export const tint = (t: number) => WEAKEST + (1 - WEAKEST) * Math.min(1, t);
export const edge = (t: number) => 0.3 + 0.7 * Math.min(1, t);
