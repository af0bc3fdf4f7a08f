import type { Strings } from '../index.ts';

export { look } from '../en/look.ts';

export const site: Strings['site'] = {
  direction: 'ltr',
  pages: 'Sitio',
  menu: 'Menú',
  language: 'Idioma',
  learn: 'Aprender',
  look: 'Mirar',
  embed: 'Embed',
  python: 'Python',
  docs: 'Docs',
  bench: 'Bench',
  colours: 'Colores',
  auto: 'Auto',
  light: 'Claro',
  dark: 'Oscuro',
  code: {
    copy: 'Copiar',
    copied: 'Copiado',
    failed: 'El navegador prohíbe copiar: seleccione el texto y cópielo a mano.',
  },
};

export const heads: Strings['heads'] = {
  pages: {
    learn: {
      title: 'Mirar dentro de la bolsa: el aprendizaje de múltiples instancias, explicado',
      description:
        'Un breve artículo interactivo sobre cómo explicar modelos de aprendizaje de múltiples ' +
        'instancias: qué instancias de una bolsa importan y qué clase apoya o refuta cada una.',
    },
    look: {
      title: 'bagscope: mirar dentro de la bolsa',
      description:
        'Vea qué instancias de una bolsa importan a un modelo de aprendizaje de múltiples instancias, ' +
        'y para qué clase. Funciona en su navegador; nada sale de su equipo.',
    },
    embed: { title: 'Embed', description: 'Embed' },
    python: { title: 'Python', description: 'Python' },
  },
  fromDisk:
    'Esta página se abrió desde un disco, donde los navegadores dejan mostrarla pero no calcular. ' +
    'Abra lesson.html o look.html de la versión para memorias USB, o sirva esta carpeta y abra la ' +
    'dirección que escribe esta orden:',
  noScript: 'Esta página calcula en su navegador y necesita JavaScript y WebAssembly.',
  manifest: {
    name: 'bagscope: mirar dentro de la bolsa',
    description:
      'Qué instancias de una bolsa importan a un modelo de aprendizaje de múltiples instancias, y qué ' +
      'clase apoya o refuta cada una.',
  },
};

const by = (sides: readonly unknown[]) => sides.join(' × ');

export const read: Strings['read'] = {
  of: (name, words) => `${name}: ${words}`,
  canvas: (width, height) =>
    `el navegador no dibuja en una superficie de ${width} × ${height} píxeles: su memoria está ` +
    'agotada o un ajuste lo prohíbe. Cierre otras pestañas o permita dibujar a esta página, y ' +
    'vuelva a cargarla',
  noReason: 'el navegador no da ningún motivo',
  largeModel: (name) =>
    `${name} tiene 2 GiB o más, y los archivos ONNX tienen menos: los pesos de modelos mayores están ` +
    'en archivos propios. Expórtelo con «external data» y abra juntos todos sus archivos',
  worker: {
    stopped: (reason) => `se detuvo la lectura de archivos: ${reason}`,
    late: (seconds) => `tardó más de ${seconds} segundos`,
    closed: 'esta imagen está cerrada',
    noHash: 'no se calcula la suma de un archivo de más de 1 GiB',
    missing: (path, status) => `el servidor no tiene ${path} (${status})`,
    unreachable: (path) => `no se puede obtener ${path}; compruebe la conexión a la red`,
  },
  picture: {
    empty: 'la imagen no tiene píxeles',
    tooLarge: (name, width, height, most, side) =>
      `${name} tiene ${width} × ${height} píxeles; el límite es ${most} × ${most}, y ${side} por ` +
      'lado. Exporte un nivel menor de ella, o abra en su lugar características con coordenadas',
    damaged: 'la imagen está dañada',
    none: (name) =>
      `${name} no es una imagen que este navegador pueda mostrar; se admiten PNG, JPEG, WebP y TIFF`,
  },
  patches: { whole: 'el lado y el paso de los recortes deben ser números enteros de al menos 1' },
  tiff: {
    level: (name, whole, shown) =>
      `${name} tiene ${by(whole)} píxeles, más de los que la página puede mostrar; se muestra con ` +
      `${by(shown)}. Los recortes se hacen a resolución completa.`,
  },
};
