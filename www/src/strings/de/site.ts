import type { Strings } from '../index.ts';

export { look } from '../en/look.ts';

export const site: Strings['site'] = {
  direction: 'ltr',
  pages: 'Website',
  menu: 'Menü',
  language: 'Sprache',
  learn: 'Lernen',
  look: 'Ansehen',
  embed: 'Embed',
  python: 'Python',
  docs: 'Docs',
  bench: 'Bench',
  colours: 'Farben',
  auto: 'Auto',
  light: 'Hell',
  dark: 'Dunkel',
  code: {
    copy: 'Kopieren',
    copied: 'Kopiert',
    failed:
      'Der Browser verbietet das Kopieren: Wählen Sie den Text aus und kopieren Sie ihn von Hand.',
  },
};

export const heads: Strings['heads'] = {
  pages: {
    learn: {
      title: 'In den Beutel schauen: Multiple-Instanz-Lernen, erklärt',
      description:
        'Ein kurzer interaktiver Artikel darüber, wie man Modelle des Multiple-Instanz-Lernens ' +
        'erklärt: auf welche Instanzen eines Beutels es ankommt und für oder gegen welche Klasse ' +
        'jede spricht.',
    },
    look: {
      title: 'bagscope: in den Beutel schauen',
      description:
        'Sehen Sie, auf welche Instanzen eines Beutels es einem Modell des ' +
        'Multiple-Instanz-Lernens ankommt, und für welche Klasse. Es läuft in Ihrem Browser; nichts ' +
        'verlässt Ihr Gerät.',
    },
    embed: { title: 'Embed', description: 'Embed' },
    python: { title: 'Python', description: 'Python' },
  },
  fromDisk:
    'Diese Seite wurde von einem Datenträger geöffnet; dort lassen Browser sie zeigen, aber nicht ' +
    'rechnen. Öffnen Sie lesson.html oder look.html der Ausgabe für einen Stick, oder stellen Sie ' +
    'diesen Ordner bereit und öffnen Sie die Adresse, die dieser Befehl ausgibt:',
  noScript: 'Diese Seite rechnet in Ihrem Browser und braucht JavaScript und WebAssembly.',
  manifest: {
    name: 'bagscope: in den Beutel schauen',
    description:
      'Auf welche Instanzen eines Beutels es einem Modell des Multiple-Instanz-Lernens ankommt, und ' +
      'für oder gegen welche Klasse jede spricht.',
  },
};

const by = (sides: readonly unknown[]) => sides.join(' × ');

export const read: Strings['read'] = {
  of: (name, words) => `${name}: ${words}`,
  canvas: (width, height) =>
    `Der Browser zeichnet nicht auf eine Fläche von ${width} × ${height} Pixeln: Sein Speicher ist ` +
    'erschöpft, oder eine Einstellung verbietet es. Schließen Sie andere Tabs oder erlauben Sie ' +
    'dieser Seite zu zeichnen, und laden Sie sie neu',
  noReason: 'der Browser nennt keinen Grund',
  largeModel: (name) =>
    `${name} hat 2 GiB oder mehr, und ONNX-Dateien haben weniger: Die Gewichte größerer Modelle ` +
    'stehen in eigenen Dateien. Exportieren Sie es mit „external data“, und öffnen Sie alle seine ' +
    'Dateien zusammen',
  worker: {
    stopped: (reason) => `das Lesen von Dateien wurde abgebrochen: ${reason}`,
    late: (seconds) => `es dauerte länger als ${seconds} Sekunden`,
    closed: 'dieses Bild ist geschlossen',
    noHash: 'für eine Datei von mehr als 1 GiB wird keine Prüfsumme berechnet',
    missing: (path, status) => `der Server hat ${path} nicht (${status})`,
    unreachable: (path) =>
      `${path} kann nicht geladen werden; prüfen Sie die Verbindung zum Netzwerk`,
  },
  picture: {
    empty: 'das Bild hat keine Pixel',
    tooLarge: (name, width, height, most, side) =>
      `${name} hat ${width} × ${height} Pixel; die Grenze ist ${most} × ${most}, und ${side} für ` +
      'eine Seite. Exportieren Sie eine kleinere Stufe davon, oder öffnen Sie stattdessen Merkmale ' +
      'mit Koordinaten',
    damaged: 'das Bild ist beschädigt',
    none: (name) =>
      `${name} ist kein Bild, das dieser Browser zeigen kann; möglich sind PNG, JPEG, WebP und TIFF`,
  },
  patches: {
    whole: 'Seite und Abstand der Ausschnitte müssen ganze Zahlen von mindestens 1 sein',
  },
  tiff: {
    level: (name, whole, shown) =>
      `${name} hat ${by(whole)} Pixel, mehr als die Seite zeigen kann; gezeigt wird es mit ` +
      `${by(shown)}. Ausschnitte werden in voller Auflösung geschnitten.`,
  },
};
