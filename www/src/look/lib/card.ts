// A model's card: what its file does not say of the model, as JSON beside it.

/**
 * A card with the names of the classes, as the text of a .bagscope.json file. Other keys of `card`
 * stay.
 */
export function cardWith(card: string | undefined, classes: readonly string[]): string {
  const known = card ? (JSON.parse(card) as object) : {};
  return JSON.stringify({ ...known, classes }, null, 1) + '\n';
}

/** The name of the card's file, beside the model's. */
export const cardName = (model: string) => `${model.replace(/\.onnx$/i, '')}.bagscope.json`;
