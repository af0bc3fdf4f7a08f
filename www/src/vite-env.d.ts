/// <reference types="svelte" />
/// <reference types="vite/client" />

/** The tag of the language that the build chose, such as "en". */
declare const LANGUAGE: string;
/** The folder of this language below the site's; '' for the site itself. */
declare const FOLDER: string;

declare module 'bagscope/bagscope.wasm?url' {
  const url: string;
  export default url;
}

declare module 'virtual:poster' {
  /** The example's prediction and pictures; width and height in the page's pixels. */
  const poster: {
    prediction: import('bagscope').Prediction;
    /** The explanation in sentences. */
    summary: string[];
    /** What the method notes, as sentences. */
    notes: string[];
    legend: import('./look/state/evidence').Legend | null;
    width: number;
    height: number;
    /** Addresses of the picture by its width in pixels, as srcset has them. */
    light: string;
    dark: string;
    names: readonly import('bagscope').NamePlace[];
  };
  export default poster;
}
