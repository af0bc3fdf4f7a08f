import { texts } from '../../../../wasm/npm/src/element/texts/es.ts';
import { number, percent, plain } from '../../lib/format.ts';
import type { Strings } from '../index.ts';

const names: Record<string, (label: number) => string> = {
  digit: (label) => `un ${label}`,
  moment: (label) => ['normal', 'demasiado caliente', 'con sacudidas'][label] ?? '',
  patch: (label) => ['de otros núcleos', 'de una glándula', 'de una glándula y otros'][label] ?? '',
};
const groups: Record<string, (label: number) => string> = {
  digit: (label) => `dígitos ${label}`,
  moment: (label) =>
    ['momentos normales', 'momentos calientes', 'momentos con sacudidas'][label] ?? '',
  patch: (label) =>
    ['recortes sin glándula', 'recortes de glándulas', 'recortes con una glándula dentro'][label] ??
    'recortes',
};
const nouns: Record<string, readonly [one: string, many: string]> = {
  digit: ['dígito', 'dígitos'],
  moment: ['momento', 'momentos'],
  patch: ['recorte', 'recortes'],
};

export const learn: Strings['learn'] = {
  classes: {
    'neither 8 nor 9': 'ni 8 ni 9',
    'an 8': 'un 8',
    'a 9': 'un 9',
    'an 8 and a 9': 'un 8 y un 9',
    'no gland': 'sin glándula',
    'a gland': 'una glándula',
    sound: 'en buen estado',
    'running hot': 'se calienta',
    'worn bearing': 'rodamiento gastado',
    'hot and worn': 'caliente y gastado',
  },
  methods: texts.methods,
  skipped: () => 'Este modelo no tiene este método.',
  trusted: (trust, at) => texts.trusted({ trust, at, unit: 'probability', draws: false }),
  bagTexts: {
    both: {
      title: 'Dos 8 y dos 9',
      story:
        'Esta bolsa contiene dos 8 y dos 9. Quite un 8 y la predicción se mantiene. Quite también el ' +
        'otro y cambia.',
    },
    eights: {
      title: 'Dos 8',
      story:
        'Esta bolsa no contiene ningún 9. Un 8 basta para la predicción, así que puede quitar ' +
        'cualquiera de los dos.',
    },
    wrong: {
      title: 'Mal leída',
      story:
        'Esta bolsa contiene cinco 8 y un 9, pero el modelo predice «un 8». Elija la clase «un 8 y un ' +
        '9» para ver la puntuación del 9.',
    },
    neither: {
      title: 'Ninguno',
      story: 'Esta bolsa no contiene ni 8 ni 9. Cada dígito apoya un poco la clase «ni 8 ni 9».',
    },
    tissue: {
      title: 'Tejido',
      story:
        'Recortes de un trozo de tejido dibujado; no es de un paciente. Las glándulas son anillos de ' +
        'núcleos grandes y pálidos. El modelo se entrenó con una etiqueta por preparación: si ' +
        'contiene una glándula.',
    },
    machine: {
      title: 'Vectores',
      story:
        'Temperatura y vibración de una máquina en 24 momentos, cada uno un punto del plano. En dos ' +
        'momentos estaba demasiado caliente, en uno sufrió sacudidas. Este modelo toma el máximo ' +
        'sobre la bolsa y no tiene atención.',
    },
  },
  noun: (noun) => nouns[noun]?.[0] ?? noun,
  nouns: (noun) => nouns[noun]?.[1] ?? noun,
  name: (noun, label) => (label === undefined ? '' : (names[noun]?.(label) ?? '')),
  group: (noun, label) => groups[noun]?.(label) ?? '',
  instance: (noun, i, label) => {
    const name = learn.name(noun, label);
    return `${learn.noun(noun)} ${number(i)}${name && `, ${name}`}`;
  },
  verdict: (score, className, evident = true) => {
    if (!evident) return `no destaca respecto a 0 para «${className}»`;
    if (!Number.isFinite(score) || Math.abs(score) < 0.0005)
      return `ni apoya ni refuta «${className}»`;
    return `${score > 0 ? 'apoya' : 'refuta'} «${className}» con ${plain(Math.abs(score))}`;
  },
  out: 'quitado',
  bags: 'Elija una bolsa',
  bag: (noun) => `La bolsa: elija un ${learn.noun(noun)} para quitarlo o devolverlo`,
  answer: 'Predicciones; elija la clase que se explica',
  was: (p) => `era ${percent(p)}`,
  allBack: 'Devolver todo',
  takeOne: (name) => `Quitar uno de los ${name}`,
  takeOnly: (name) => `Quitar: ${name}`,
  takeAll: (n, name) => `Quitar ${n === 2 ? 'los dos' : `los ${n}`} ${name}`,
  taken: (what) => `sin ${what}`,
  whole: 'la bolsa entera',
  loading:
    'Las figuras muestran resultados guardados. Serán interactivas cuando el programa esté cargado.',
  asleep: 'Esperando al programa…',
  failed: 'No se pudo iniciar el programa. Las figuras muestran resultados guardados.',
  play: 'Reproducir',
  pause: 'Pausa',
  again: 'Sacar otras',
  seed: 'Semilla',
  samples: 'Número de coaliciones',
  alpha: 'α, probabilidad del primer rango',
  beta: 'β, curvatura',
  reset: 'Usar los valores de la publicación',
  vanished: 'Instancias quitadas',
  order: 'en el orden de',
  random: 'orden aleatorio, media de 10',
  asFormula: 'Lo mismo como fórmula',
  formula: 'Fórmula, desplazable',
  asTable: 'Mostrar como tabla',
  none: 'Este modelo no tiene atención.',
  attention: 'Atención',
  moved: (instance, back) => `${back ? 'Devuelto' : 'Quitado'}: ${instance}.`,
  told: (what, className, p) => `${what} «${className}» está ahora en ${percent(p)}.`,
  noEmpty:
    'Debe quedar al menos una instancia: un modelo no puede predecir nada de una bolsa vacía.',
};
