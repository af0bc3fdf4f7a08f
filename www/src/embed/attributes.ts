// The attributes of the element with their meaning. Those of reading and of methods come from the
// engine's declarations.
import { defaultMethod, methodOptions, methodTitles, readOptions, settingsTitles } from 'bagscope';
import { embed as words } from '../strings';

const { model, bag, card, index, method, settings, ...others } = words.attributes;
const list = (titles: object) => Object.keys(titles).join(', ');
const texts = (options: readonly { flag: string; help: string; standard: string }[]) =>
  Object.fromEntries(
    options.map(({ flag, help, standard }) => [flag, words.option(help, standard)]),
  );

/** The meaning of each attribute by its name. */
export const attributeTexts: Readonly<Record<string, string>> = {
  ...{ model, bag, card, index },
  ...texts(readOptions),
  method: method(list(methodTitles), defaultMethod),
  settings: settings(list(settingsTitles)),
  ...texts(methodOptions.filter(({ kind }) => kind !== 'coalitions')),
  ...others,
};
