// The texts of the site, in the language that the build chooses: see ../../language.ts.
export * from '#language';

/** Texts of the same shape, in any language. */
type Texts<T> = T extends string
  ? string
  : T extends (...values: infer Values) => infer Text
    ? (...values: Values) => Texts<Text>
    : T extends object
      ? { readonly [Key in keyof T]: Texts<T[Key]> }
      : T;

/** What the file of a language exports; a missing text is an error of types. */
export type Strings = Texts<typeof import('./en.ts')>;
