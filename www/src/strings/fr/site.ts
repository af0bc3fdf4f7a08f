import type { Strings } from '../index.ts';

export { look } from '../en/look.ts';

export const site: Strings['site'] = {
  direction: 'ltr',
  pages: 'Site',
  menu: 'Menu',
  language: 'Langue',
  learn: 'Apprendre',
  look: 'Regarder',
  embed: 'Embed',
  python: 'Python',
  docs: 'Docs',
  bench: 'Bench',
  colours: 'Couleurs',
  auto: 'Auto',
  light: 'Clair',
  dark: 'Sombre',
  code: {
    copy: 'Copier',
    copied: 'Copié',
    failed: 'Le navigateur interdit la copie : sélectionnez le texte et copiez-le à la main.',
  },
};

export const heads: Strings['heads'] = {
  pages: {
    learn: {
      title: 'Regarder dans le sac : l’apprentissage à instances multiples, expliqué',
      description:
        'Un court article interactif sur l’explication des modèles d’apprentissage à instances ' +
        'multiples : quelles instances d’un sac comptent, et quelle classe chacune soutient ou réfute.',
    },
    look: {
      title: 'bagscope : regarder dans le sac',
      description:
        'Voyez quelles instances d’un sac comptent pour un modèle d’apprentissage à instances ' +
        'multiples, et pour quelle classe. Tout se passe dans votre navigateur ; rien ne quitte votre ' +
        'machine.',
    },
    embed: { title: 'Embed', description: 'Embed' },
    python: { title: 'Python', description: 'Python' },
  },
  fromDisk:
    'Cette page a été ouverte depuis un disque, où les navigateurs la laissent s’afficher mais pas ' +
    'calculer. Ouvrez lesson.html ou look.html de la version pour clé USB, ou servez ce dossier et ' +
    'ouvrez l’adresse qu’écrit cette commande :',
  noScript: 'Cette page calcule dans votre navigateur et a besoin de JavaScript et de WebAssembly.',
  manifest: {
    name: 'bagscope : regarder dans le sac',
    description:
      'Quelles instances d’un sac comptent pour un modèle d’apprentissage à instances multiples, et ' +
      'quelle classe chacune soutient ou réfute.',
  },
};

const by = (sides: readonly unknown[]) => sides.join(' × ');

export const read: Strings['read'] = {
  of: (name, words) => `${name} : ${words}`,
  canvas: (width, height) =>
    `le navigateur ne dessine pas sur une surface de ${width} × ${height} pixels : sa mémoire est ` +
    'épuisée, ou un réglage l’interdit. Fermez d’autres onglets ou autorisez le dessin pour cette ' +
    'page, puis rechargez-la',
  noReason: 'le navigateur ne donne pas de raison',
  largeModel: (name) =>
    `${name} fait 2 Gio ou plus, et les fichiers ONNX font moins : les poids de modèles plus grands ` +
    'sont dans des fichiers à part. Exportez-le avec « external data », et ouvrez tous ses fichiers ' +
    'ensemble',
  worker: {
    stopped: (reason) => `la lecture des fichiers a été arrêtée : ${reason}`,
    late: (seconds) => `cela a pris plus de ${seconds} secondes`,
    closed: 'cette image est fermée',
    noHash: 'un fichier de plus de 1 Gio n’a pas de somme de contrôle',
    missing: (path, status) => `le serveur n’a pas ${path} (${status})`,
    unreachable: (path) => `${path} ne peut pas être chargé ; vérifiez la connexion au réseau`,
  },
  picture: {
    empty: 'l’image n’a pas de pixels',
    tooLarge: (name, width, height, most, side) =>
      `${name} a ${width} × ${height} pixels ; la limite est ${most} × ${most}, et ${side} par côté. ` +
      'Exportez-en un niveau plus petit, ou ouvrez plutôt des caractéristiques avec des coordonnées',
    damaged: 'l’image est endommagée',
    none: (name) =>
      `${name} n’est pas une image que ce navigateur peut montrer ; PNG, JPEG, WebP et TIFF sont acceptés`,
  },
  patches: { whole: 'le côté et le pas des vignettes doivent être des entiers d’au moins 1' },
  tiff: {
    level: (name, whole, shown) =>
      `${name} a ${by(whole)} pixels, plus que la page ne peut montrer ; il est montré avec ` +
      `${by(shown)}. Les vignettes sont coupées à pleine résolution.`,
  },
};
