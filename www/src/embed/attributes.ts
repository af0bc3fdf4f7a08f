// The attributes of the element with their meaning. Those of options come from the engine's
// declaration.
import { defaultMethod, methodOptions, methodTitles, settingsTitles } from 'bagscope';
import { embed as words } from '../strings';

const { model, bag, card, index, method, settings, ...others } = words.attributes;
const list = (titles: object) => Object.keys(titles).join(', ');

/** The meaning of each attribute by its name. */
export const attributeTexts: Readonly<Record<string, string>> = {
  ...{ model, bag, card, index },
  method: method(list(methodTitles), defaultMethod),
  settings: settings(list(settingsTitles)),
  ...Object.fromEntries(
    methodOptions
      .filter(({ kind }) => kind !== 'coalitions')
      .map(({ flag, help, standard }) => [flag, words.option(help, standard)]),
  ),
  ...others,
};
