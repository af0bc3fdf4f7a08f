// Marks as in the English article.
import { count, number, percent, plain, signed } from '../../lib/format.ts';
import type { Strings } from '../index.ts';

const numbers = [
  'keine',
  'eine',
  'zwei',
  'drei',
  'vier',
  'fünf',
  'sechs',
  'sieben',
  'acht',
  'neun',
  'zehn',
];
const spelt = (n: number) => numbers[n] ?? String(n);

export const article: Strings['article'] = {
  skip: 'Zum Artikel springen',

  hero: {
    title: 'In den Beutel schauen',
    lead:
      'Manche Modelle sagen ein einziges Etikett für einen ganzen Beutel (englisch <em>bag</em>) ' +
      'von Instanzen vorher. <em>Welche</em> Instanzen haben zu der Vorhersage geführt, und für ' +
      'oder gegen <em>welche Klasse</em> spricht jede? Verändern Sie den Beutel unten und finden ' +
      'Sie es heraus.',
    figure: 'Der Beutel und die Vorhersage',
    trust: 'Wie verlässlich ist das?',
    measuring: 'Die Verlässlichkeit dieser Bewertungen wird gemessen …',
    own:
      'Haben Sie ein eigenes Modell? <look>Öffnen Sie es mit einem Beutel</look>; beide bleiben ' +
      'auf Ihrem Gerät.',
    bag: (k, nouns, out) =>
      `${k} ${nouns}, ${out === 0 ? 'alle im Beutel' : `${out} davon entfernt`}`,
    signs: (className) =>
      `<plus>Nach oben: spricht für</plus> „${className}“. <minus>Nach unten: spricht dagegen</minus>.`,
    click: (noun) => `Klicken Sie auf etwas im Beutel (${noun}), um es zu entfernen.`,
    predicts: (className) => `Das Modell sagt „${className}“ vorher`,
    digit: (k, predicted, p, tallest) =>
      `Der Beutel oben enthält ${k} Ziffern. Beim Training bekam das Modell nur ein Etikett je ` +
      'Beutel: ob er eine 8, eine 9, beides oder nichts davon enthält. Das Etikett einer Ziffer ' +
      `bekam es nie. Für diesen Beutel sagt es „${predicted}“ mit einer Wahrscheinlichkeit von ` +
      `${percent(p)} vorher. Die Balken unter den Ziffern werden danach berechnet, aus ` +
      'Vorhersagen für Teile des Beutels. Sie sind Änderungen der Log-Odds; der höchste ist ' +
      `${plain(tallest, 2)}.`,
    patch: (k, predicted, p) =>
      `Der Beutel oben enthält ${k} Ausschnitte eines Schnitts. Beim Training bekam das Modell ` +
      'nur ein Etikett je Schnitt: ob er eine Drüse enthält. Das Etikett eines Ausschnitts bekam ' +
      `es nie. Für diesen Schnitt sagt es „${predicted}“ mit einer Wahrscheinlichkeit von ` +
      `${percent(p)} vorher. Die Balken unter den Ausschnitten werden danach berechnet, aus ` +
      'Vorhersagen für Teile des Schnitts.',
    moment: (k, predicted, p) =>
      `Der Beutel oben enthält ${k} Messungen einer Maschine während eines Tages. Jede besteht ` +
      'aus einer Temperatur und einer Vibration, gezeichnet als Punkt. Beim Training bekam das ' +
      `Modell nur ein Etikett je Tag. Für diesen Tag sagt es „${predicted}“ mit einer ` +
      `Wahrscheinlichkeit von ${percent(p)} vorher. Die Balken werden danach berechnet, aus ` +
      'Vorhersagen für Teile des Tages.',
    mil:
      'Das ist <dfn>Multiple-Instanz-Lernen</dfn> (MIL). Gewebeschnitte (ein Beutel von ' +
      'Ausschnitten mit einer Diagnose), Fotos (ein Beutel von Segmenten) und Moleküle (ein ' +
      'Beutel von Formen) werden ebenso gelesen. Etiketten von Beuteln sind billig, aber sie ' +
      'zeigen nicht, auf welche Instanzen es ankommt.',
    temperature: 'Temperatur',
    vibration: 'Vibration',
  },

  bar: 'Der Beutel',

  removing: {
    title: 'Eine Instanz entfernen',
    write: (className) =>
      'X sei der Beutel und F(X) die Vorhersage des Modells, eine Zahl für jede Klasse. ' +
      `Für die Klasse „${className}“ ist sie`,
    argument: (noun) =>
      'Wenn eine Instanz wichtig ist, ändert sich die Vorhersage ohne sie. Ein MIL-Modell nimmt ' +
      'Beutel jeder Größe an, man kann eine Instanz also einfach weglassen. Klicken Sie auf eine ' +
      `beliebige (${noun}) und sehen Sie die neue Vorhersage an.`,
    steps: (className) => `„${className}“ nach jedem Entfernen`,
    left: (className) => `Die Vorhersage von „${className}“ für die übrigen Instanzen.`,
    last: (change, now) =>
      `Das letzte Entfernen hat sie um ${signed(change, 4)} auf ${percent(now)} geändert.`,
    some: 'Entfernen Sie mehrere Instanzen, eine nach der anderen.',
    buttons:
      'Wenn mehrere Instanzen derselben Art für eine Klasse sprechen, bleibt die Vorhersage, wenn ' +
      'Sie eine davon entfernen. Sie ändert sich, wenn Sie alle entfernen. Einfache Erklärungen ' +
      'versagen in diesem Fall.',
  },

  attention: {
    title: 'Attention zeigt die Klasse nicht',
    own:
      'Viele MIL-Modelle geben jeder Instanz ein Gewicht, ihre <dfn>Attention</dfn>, und addieren ' +
      'die gewichteten Instanzen. Die Gewichte zeigen, <em>welche</em> Instanzen das Modell ' +
      'benutzt. Sie haben kein Vorzeichen und keine Klasse, zeigen also nicht, für <em>welche ' +
      'Klasse</em> eine Instanz spricht.',
    figure: 'Attention, und die Bewertungen jeder Klasse',
    caption:
      'Die erste Zeile ist die Attention des Modells; sie ist für jede Klasse dieselbe. Darunter ' +
      'steht eine Zeile je Klasse. <plus>Nach oben spricht dafür</plus>, <minus>nach unten ' +
      'dagegen</minus>, ein grauer Strich hebt sich nicht von 0 ab. Alle Klassen haben dieselbe ' +
      'Skala.',
    digits:
      'Lesen Sie eine Spalte von oben nach unten. Eine 8 und eine 9 können dieselbe Attention ' +
      'haben, aber die 9 ist der stärkste Beleg <em>gegen</em> „eine 8“. Eine Heatmap der ' +
      'Attention zeigt beide in derselben Farbe.',
    others: (className) =>
      `Lesen Sie eine Spalte von oben nach unten. Eine Instanz, die für „${className}“ spricht, ` +
      'spricht gegen eine andere Klasse, hat aber nur eine Attention. Eine Heatmap der Attention ' +
      'zeigt, welche Instanzen das Modell benutzt, nicht, für welche Klassen sie sprechen.',
    none:
      'Dieses Modell nimmt das Maximum über den Beutel und hat keine Attention. Die Zeilen ' +
      'darunter brauchen nur Vorhersagen, es gibt sie also für jedes Modell.',
    want:
      'Wir wollen eine Bewertung für jede Instanz und jede Klasse: positiv, wenn die Instanz für ' +
      'die Klasse spricht, negativ, wenn sie dagegen spricht. Die Methode muss für jedes Modell ' +
      'gehen und darf nur Vorhersagen benutzen.',
  },

  alone: {
    title: 'Eine Instanz auf einmal',
    more: (instance) => `Die Formeln, mit den Zahlen von: ${instance}`,
    questions:
      'Es gibt zwei einfache Methoden. <strong>Einzeln</strong> ist die Vorhersage für einen ' +
      'Beutel, der nur diese Instanz enthält. <strong>Eine entfernt</strong> ist die Änderung der ' +
      'Vorhersage, wenn diese Instanz entfernt wird.',
    figure: (className) => `Drei Methoden für „${className}“`,
    caption: (className, most) =>
      `Die Bewertungen für „${className}“ nach den zwei einfachen Methoden und nach MILLI, das die ` +
      'nächsten Abschnitte erklären. Jede Zeile hat ihre eigene Skala: Der größte Balken von ' +
      `„Eine entfernt“ ist ${plain(most, 4)}. „Einzeln“ ist ab seinem Mittel über den Beutel ` +
      'gezeichnet; ein grauer Strich hebt sich nicht vom neutralen Punkt ab.',
    twins: (n, group) =>
      `Dieser Beutel enthält mehrere gleiche (${n} ${group}). Wenn Sie eine davon entfernen, ` +
      'sprechen die anderen weiter für die Klasse, und die Vorhersage bleibt. „Eine entfernt“ gibt ' +
      'deshalb allen eine Bewertung nahe 0.',
    noTwins:
      'In diesem Beutel ersetzt keine Instanz eine andere, deshalb klappt „Eine entfernt“. Wenn ein ' +
      'Beutel zwei Instanzen derselben Art enthält, ersetzt jede die andere, und „Eine entfernt“ ' +
      'gibt beiden eine Bewertung nahe 0.',
    blind: (noun) =>
      '„Einzeln“ hat die umgekehrte Schwäche: Es kombiniert nie Instanzen. Wenn eine Klasse zwei ' +
      `verschiedene Instanzen braucht, genügt keine allein (${noun}).`,
    both:
      'Beide Methoden versagen aus demselben Grund: Sie betrachten Beutel mit einer Instanz oder ' +
      'mit allen außer einer, und nichts dazwischen.',
  },

  coalitions: {
    title: 'Koalitionen benutzen',
    groups: (k) =>
      'Eine <dfn>Koalition</dfn> ist eine Teilmenge des Beutels, unten als Reihe von Marken ' +
      'gezeichnet: Eine gefüllte Marke heißt, dass die Instanz in der Koalition ist. Dieser Beutel ' +
      `hat 2<sup>${k}</sup> Koalitionen, etwa ${count(2 ** k / 1e6)} Millionen. Wir ziehen also ` +
      'einige zufällig und berechnen für jede die Vorhersage.',
    fit:
      'Dann passen wir ein <dfn>Ersatzmodell</dfn> (<em>surrogate</em>) an, ein einfaches additives ' +
      'Modell: Es addiert eine feste Zahl für jede Instanz der Koalition.',
    settle:
      'Diese Zahlen sind die Erklärung. Drücken Sie „Abspielen“ und beobachten Sie sie, während ' +
      'die Zahl der Koalitionen wächst. Mit wenigen Koalitionen sind die Balken vor allem ' +
      'Rauschen. Mit vielen behalten nur die Instanzen große Balken, die die Vorhersage ändern.',
    of: (n, all) => `${n} von ${all}`,
    figure: (className) => `Koalitionen, die Vorhersage von „${className}“ und das Ersatzmodell`,
    points: (r2) =>
      'Jeder Punkt ist eine Koalition. Auf der gestrichelten Linie stimmen Ersatzmodell und Modell ' +
      `überein. R² = ${r2 == null ? '–' : plain(r2, 3)}.`,
    caption: (shown, fitted) =>
      `Die letzten zwölf von ${shown} Koalitionen; gefüllt heißt, dass die Instanz darin ist. ` +
      'Rechts steht die Vorhersage für jede, oben das Ersatzmodell, das an alle ' +
      `${fitted} angepasst ist.`,
    note: (again) =>
      'R² ist der Anteil der Schwankung der Vorhersagen, den das Ersatzmodell wiedergibt. Der Knopf ' +
      `„${again}“ zieht andere Koalitionen mit einem anderen Startwert. Balken, die sich mit dem ` +
      'Startwert ändern, sind Rauschen.',
    fitted: (n) => `φ aus ${n}`,
    heads: ['Instanzen darin', 'F(z)', 'welche darin sind'],
    surrogate: 'Ersatzmodell g(z)',
    model: 'Modell F(z)',
    plot: (n, r2) =>
      `Die Vorhersage gegen das Ersatzmodell für ${n} Koalitionen. R² ${plain(r2, 2)}.`,
  },

  curve: {
    title: 'Die Koalitionen auswählen',
    coin: (first) =>
      'Mit der Wahrscheinlichkeit ein halb für jede Instanz enthält eine Koalition etwa die Hälfte ' +
      'des Beutels. Wenn wenige Instanzen entscheiden, enthält fast jede solche Koalition eine ' +
      'davon. Die Vorhersagen sind dann alle ähnlich und sagen wenig aus. <strong>MILLI</strong> ' +
      'ordnet die Instanzen: Die erste ist die, die allein der negativen Klasse am wenigsten ' +
      `ähnelt, hier ${first}. Die ersten Ränge werden dann selten gezogen. Eine Koalition enthält ` +
      'deshalb oft eine von ihnen ohne die anderen ihrer Art, und die Vorhersage hängt von ihr ab.',
    more: 'Die Wahrscheinlichkeiten als Formel, und ihre Einstellungen',
    law: 'Die Instanz vom Rang r ist in einer Koalition mit der Wahrscheinlichkeit',
    bend: (alpha, fifth) =>
      `Der erste Rang hat die Wahrscheinlichkeit α = ${plain(alpha)}, der letzte 1 − α. β biegt die ` +
      `Kurve dazwischen: Rang 5 hat ${plain(fifth)}.`,
    figure: 'Koalitionen, mit den Instanzen in der Reihenfolge ihrer Ränge',
    caption: (size, k, mean) =>
      'Das erste Diagramm zeigt die Wahrscheinlichkeit jedes Rangs, das zweite die erwartete Größe ' +
      'einer Koalition: die Summe der Wahrscheinlichkeiten (gestrichelt: das Integral der ' +
      `Veröffentlichung). Hier ist E|z| = ${plain(size, 1)} von ${k}; die gezogenen Koalitionen enthalten ` +
      `im Mittel ${plain(mean, 1)}. Die Zeilen zeigen die letzten davon.`,
    suit: (r2) =>
      'Kein α und β ist für jede Aufgabe das beste. „Eine 8 und eine 9“ braucht ein Paar, und ' +
      'Koalitionen mit beiden sind selten, wenn beide geringe Wahrscheinlichkeiten haben. Erhöhen ' +
      'Sie α und sehen Sie die Abbildung oben an: Ebenso viele Koalitionen ergeben eine andere ' +
      `Anpassung. R² ist jetzt ${plain(r2, 2)}.`,
    tasks:
      'Wenn eine Instanz unter Hunderten entscheidet, sind kleine Koalitionen am besten: Die ' +
      'Veröffentlichung benutzt α = 0,008, β = −5 für Gewebe. Für Beutel von Ziffern benutzt sie α = 0,05, ' +
      'β = 0,01.',
    rank: 'Rang r',
    chance: 'Wahrscheinlichkeit π, darin zu sein',
    chances: (first, last) =>
      `Die Wahrscheinlichkeit, in einer Koalition zu sein, von ${plain(first)} für die wichtigste ` +
      `Instanz bis ${plain(last)} für die unwichtigste.`,
    size: 'E|z|, erwartete Größe',
    sizes: (alpha, size, k, beta) =>
      `Die erwartete Größe einer Koalition gegen β, für α ${plain(alpha)}: ` +
      `${plain(size, 1)} von ${k} Instanzen bei β ${plain(beta)}.`,
  },

  methods: {
    title: 'Die Methoden vergleichen',
    all: (className) =>
      'Die Abbildung zeigt die Methoden der Veröffentlichung und <strong>Konsens</strong>, unsere Methode ' +
      `und die der ersten Abbildung, für „${className}“. Konsens hat keine Einstellungen: Es ` +
      'mittelt, wie stark eine Instanz die Log-Odds der Klasse ändert, wenn sie zu Beuteln der ' +
      'weniger verdächtigen anderen kommt.',
    more: 'Worin sich die Methoden der Veröffentlichung unterscheiden',
    differ:
      'Sie unterscheiden sich in den Koalitionen, die sie auswerten, und im Gewicht einer jeden bei ' +
      'der Anpassung. SHAP gibt den kleinsten und den größten Koalitionen das meiste Gewicht, LIME ' +
      'denen, die dem ganzen Beutel am ähnlichsten sind. „Geführte“ Methoden benutzen Koalitionen ' +
      'in fester Reihenfolge, „zufällige“ ziehen sie.',
    heads: ['NDCG@n', 'AOPC-R', 'Koalitionen'],
    figure: (className) => `Alle Methoden für „${className}“`,
    caption:
      'Wählen Sie eine Methode, um sie unten zu prüfen. <em>NDCG@n</em> und <em>AOPC-R</em> messen, ' +
      'wie gut sie ist; <em>Koalitionen</em> ist die Zahl, die sie auswertet.',
  },

  proof: {
    title: 'Eine Erklärung prüfen',
    test:
      'Balken sehen immer überzeugend aus. Diese Prüfung braucht keine Etiketten von Instanzen: ' +
      '<strong>Entfernen Sie die Instanzen in der Reihenfolge der Erklärung</strong>, die ' +
      'wichtigste zuerst. Bei einer guten Erklärung fällt die Vorhersage sofort. Bei einer ' +
      'schlechten fällt sie nicht schneller als in zufälliger Reihenfolge.',
    of: (n, all) => `${n} von ${all}`,
    figure: (className) => `„${className}“, während Instanzen entfernt werden`,
    row: (m) => `m = ${m}`,
    begin: (method) =>
      `Drücken Sie „Abspielen“, um Instanzen in der Reihenfolge von ${method} zu entfernen. Die ` +
      'dünne Linie zeigt die ganze Kurve. Gestrichelt: das Mittel zufälliger Reihenfolgen und ' +
      'seine Standardabweichung.',
    caption: (method, left, className, gone) =>
      'Die dicke Linie zeigt die Vorhersage, während Instanzen in der Reihenfolge von ' +
      `${method} entfernt werden: „${className}“ hat ${percent(left)} ohne die ` +
      `${gone === 1 ? 'erste' : `ersten ${gone}`}. Gestrichelt: das Mittel zufälliger Reihenfolgen ` +
      'und seine Standardabweichung.',
    aopc: (method, aopc) =>
      'Die Fläche zwischen den beiden Kurven ist das Maß <strong>AOPC-R</strong>: der mittlere ' +
      'Abfall in der Reihenfolge der Erklärung minus der mittlere Abfall in zufälliger ' +
      `Reihenfolge. Für ${method} und diese Klasse ist es ${plain(aopc)}. Null ist so gut wie Zufall.`,
    known: 'Wenn die Etiketten der Instanzen bekannt sind: NDCG@n',
    ndcg:
      '<strong>NDCG@n</strong> prüft die n Instanzen mit den höchsten Bewertungen, wobei n die Zahl ' +
      'der Instanzen ist, die für die Klasse sprechen. Höhere Ränge zählen mehr.',
    places: (n) => (n === 1 ? 'Der erste Rang' : `Die ersten ${spelt(n)} Ränge`),
    more: (n) => `und ${n} weitere`,
    log: 'log',
    nothing: (className) =>
      `Keine Instanz mit Etikett in diesem Beutel spricht für „${className}“, deshalb ist NDCG@n ` +
      'nicht definiert.',
    wrong:
      'Eine Erklärung kann getreu sein und trotzdem falsch aussehen. Dann benutzt das Modell die ' +
      'falschen Instanzen. Erklärungen sind dazu da, solche Modelle zu finden.',
    taken: 'entfernte Instanzen, m',
    value: 'F(X ohne die ersten m)',
    plot: (className, method, whole, left, gone, aopc) =>
      `„${className}“ in der Reihenfolge von ${method}: ${percent(whole)} mit allen Instanzen, ` +
      `${percent(left)} ohne die ersten ${gone}. AOPC-R ${plain(aopc)}.`,
  },

  together: {
    title: 'Paare und Mengen ansehen',
    one:
      'Eine Zahl je Instanz kann nicht sagen, dass zwei davon <em>zusammen</em> nötig sind oder ' +
      'dass eine von zweien genügt. Eine <dfn>Was-wäre-wenn-Frage</dfn> kann es: den Beutel ändern ' +
      'und die Vorhersage neu berechnen.',
    pair:
      'Die <dfn>Wechselwirkung</dfn> zweier Instanzen i und j ist, was beide zusammen zu einer ' +
      'Koalition S beitragen, minus das, was jede allein beiträgt.',
    signs:
      'Wir nehmen das Mittel über viele zufällige Koalitionen, in Log-Odds. Über 0 <strong>ergänzen ' +
      'sich</strong> die beiden Instanzen: Zusammen tragen sie mehr bei. Unter 0 <strong>vertreten ' +
      'sie einander</strong>: Die zweite trägt wenig bei.',
    figure: (className) => `Instanzen, die bei „${className}“ zusammenwirken`,
    tile: (instance, out, next) =>
      out
        ? `${instance}, entfernt`
        : instance + (next === undefined ? '' : `, die Vorhersage ohne sie ist ${percent(next)}`),
    now: (className, p) => `Vorhersage von „${className}“: ${percent(p)}`,
    times: (n) => (n > 1 ? `× ${n}` : ''),
    completes: 'ergänzen sich',
    standsIn: 'vertreten einander',
    interaction: (x, stderr) =>
      stderr > 0 ? `${signed(x, 1)} ± ${plain(stderr, 1)}` : signed(x, 1),
    caption: (className) =>
      `Die stärksten Paare des ganzen Beutels für „${className}“. Instanzen, die gleich wirken, ` +
      'stehen nebeneinander und sind als eine aufgeführt. Die Zahl unter einer Instanz ist die ' +
      'Vorhersage, wenn Sie sie als Nächste entfernen. Eine durchgezogene Linie verbindet ' +
      'Instanzen, die sich ergänzen, eine gestrichelte solche, die einander vertreten. ' +
      'Wechselwirkungen sind in Log-Odds, mit Standardfehlern.',
    noPairs: (className) =>
      `Keine zwei Instanzen dieses Beutels wirken bei „${className}“ stärker zusammen, als der ` +
      'Zufall erklärt.',
    replace: (n, group, className, p) =>
      `In diesem Beutel vertreten mehrere einander (${n} ${group}). Entfernen Sie eine davon: Das ` +
      `Modell sagt weiter „${className}“ vorher, sie scheint also unwichtig. ` +
      (n === 2
        ? 'Aber sehen Sie die Zahl unter der anderen an: Jetzt entscheidet sie allein. '
        : 'Entfernen Sie die anderen, bis eine übrig ist, und sehen Sie ihre Zahl an: Sie ' +
          'entscheidet allein. ') +
      `Ohne ${n === 2 ? 'beide' : 'alle'} ist die Vorhersage ${percent(p)}.`,
    sets:
      'Mengen von Instanzen beantworten zwei weitere Fragen. Eine Menge ist <dfn>hinreichend</dfn>, ' +
      'wenn das Modell die Klasse aus diesen Instanzen allein vorhersagt. Eine Menge ist ' +
      '<dfn>notwendig</dfn>, wenn das Modell die Klasse ohne sie nicht vorhersagt.',
    sufficient: (className) => `Hinreichend für „${className}“: die Vorhersage einer jeden allein`,
    necessary: (className) => `Notwendig für „${className}“: die Vorhersage ohne eine jede`,
    noSufficient: 'Keine Instanzen dieses Beutels ergeben diese Vorhersage.',
    noNecessary:
      'Es gibt keine: Der Beutel wird nicht als diese Klasse vorhergesagt, oder jeder Teil von ihm.',
    setCaption:
      'Die kleinsten Mengen, bis zu drei jeder Art, die keine Instanz gemeinsam haben. Keine ' +
      'kleinere Menge entscheidet: Alle wurden ausgewertet.',
    more:
      'Der <look>Explorer</look> findet Paare und Mengen in Ihren eigenen Beuteln, und die wenigsten ' +
      'Änderungen, die eine Vorhersage umkehren, unter „Was wäre, wenn?“.',
  },

  slide: {
    title: 'Vom Schnitt zur Karte',
    cut:
      'Der Scan eines Gewebeschnitts hat bis zu 100 000 Pixel je Seite. Kein Netz nimmt ihn ' +
      'ganz, deshalb wird er in <dfn>Ausschnitte</dfn> (<em>patches</em>) geteilt, und die ' +
      'Ausschnitte auf Gewebe werden der Beutel. Zwei Zahlen bestimmen einen Ausschnitt: seine ' +
      '<strong>Größe in Pixeln</strong> und die <strong>Mikrometer je Pixel</strong>. Ein ' +
      'Ausschnitt von 27 Pixeln bei 1 Mikrometer deckt 27 Mikrometer Gewebe ab, etwa vier Kerne.',
    question:
      'Das Netz unten lernte aus Beuteln mit je einem Etikett: „viele Kerne“, wenn mindestens ein ' +
      'Ausschnitt voller Kerne ist. Kein Ausschnitt hatte ein Etikett. Trainiert wurde es auf dem ' +
      'oberen Teil des Schnitts, seine Einstellungen wurden auf dem Teil darunter gewählt. Das ' +
      'unterste Viertel hat es nie gesehen.',
    load: 'Den Schnitt hier öffnen (2,7 MB)',
    again: 'Noch einmal versuchen',
    loading: 'Der Schnitt wird geladen.',
    failed: (why) => `Der Schnitt konnte nicht geöffnet werden: ${why}`,
    undrawn: (why) => `Der Schnitt konnte nicht gezeichnet werden: ${why}.`,
    source:
      'Die Seite lädt sich neu, mit dem Schnitt und dem Netz. Der Schnitt ist ' +
      'CMU-1-Small-Region.svs der Carnegie Mellon University, Testdaten von OpenSlide (CC0).',
    layer: 'Über dem Schnitt',
    layers: { slide: 'Nichts', map: 'Die Karte', truth: 'Die Wahrheit', top: 'Die ersten n' },
    scale: 'Mikrometer je Pixel',
    microns: (m) => `${plain(m)} µm`,
    rank: 'Ausschnitt auf Rang',
    of: (n, all) => `${n} von ${all}`,
    picture: (layer) =>
      ({
        slide: 'Der Schnitt: ein Band von violettem Epithel in rosa Bindegewebe',
        map: 'Der Schnitt unter der Karte: Ausschnitte, die für „viele Kerne“ sprechen, sind gefärbt',
        truth:
          'Der Schnitt unter der Wahrheit: Ausschnitte haben umso mehr Farbe, je mehr Kerne sie bedecken',
        top: 'Die n Ausschnitte mit den höchsten Bewertungen: gefunden, falsch und übersehen',
      })[layer],
    patch: 'Der Ausschnitt, wie das Netz ihn nimmt',
    chosen: (rank, share, many) =>
      `Rang ${rank}. Kerne bedecken ${percent(share)} dieses Ausschnitts: ${many ? 'viele' : 'wenige'}.`,
    laying: 'Ausschnitte werden auf das Gewebe gelegt.',
    encoding: (done, total) => `${done} von ${total} Ausschnitten sind kodiert.`,
    judged: ({ order, n, found, ndcg, random }) =>
      `${n} von ${order.length} Ausschnitten haben viele Kerne. Von den ${n} mit den höchsten ` +
      `Bewertungen sind es ${found}. NDCG@${n} ist ${plain(ndcg, 2)}; eine zufällige Karte hat ` +
      `${plain(random, 2)}.`,
    about: {
      slide: 'Der Schnitt, wie sein Scanner ihn gespeichert hat.',
      map: 'Gefärbt: Ausschnitte, die nach Konsens für „viele Kerne“ sprechen. Kräftiger ist mehr.',
      truth:
        'Gefärbt: der Teil jedes Ausschnitts, den Kerne bedecken, gemessen aus den Bildpunkten.',
      top:
        'Volle Quadrate sind gefunden: unter den ersten n der Karte, mit vielen Kernen. Kreuze sind ' +
        'falsch: unter den ersten n, mit wenigen. Leere Quadrate sind übersehen.',
    },
    judging:
      'Eine Karte sieht schnell überzeugend aus. Um sie zu beurteilen, braucht man eine Wahrheit, ' +
      'die das Netz nicht bekam. Hier steckt sie in den Bildpunkten: Hämatoxylin färbt Kerne, ein ' +
      'Programm kann sie also finden und messen, welchen Teil eines Ausschnitts sie bedecken. ' +
      'Ausschnitte mit mindestens 15 % zählen als voll. <strong>NDCG@n</strong> vergleicht die ' +
      'ersten n Ausschnitte der Karte mit ihnen, wie oben. Eine zufällige Karte erreicht im Mittel ' +
      'den Anteil der vollen Ausschnitte. Vergleichen Sie eine Karte mit dieser Zahl, nicht mit ' +
      'null.',
    scales:
      'Ändern Sie jetzt die Mikrometer je Pixel. Das Netz nimmt in jedem Maßstab 27 mal 27 Pixel, ' +
      'es versagt also nichts. Aber gelernt hat es Kerne von etwa 8 Pixeln. Bei 2 Mikrometern haben ' +
      'sie 4, bei 0,5 haben sie 16, und die Karte kann etwas anderem folgen. Deshalb nennt eine ' +
      'Modellkarte die Mikrometer, und deshalb liest bagscope sie.',
    own:
      'Auch der Teil des Schnitts, auf dem das Netz gelernt hat, ist auf der Karte. Beurteilen Sie ' +
      'ein Netz nur dort, wo es nicht gelernt hat: NDCG@n des untersten Viertels allein steht in ' +
      'der Datei `examples/slide/README.md`. <scan>Öffnen Sie diesen Schnitt mit allen ' +
      'Werkzeugen</scan>, oder Ihren eigenen.',
  },

  series: {
    title: 'Welche Schichten?',
    bag:
      'Auch eine CT-Serie ist ein Beutel: Ihre <dfn>Schichten</dfn> sind die Instanzen, und der ' +
      'Befund sagt eines über alle. Das Netz unten bekam gezeichnete Brustkörbe, und zuerst Teile ' +
      'von 8 Schichten davon, mit je einem Etikett: „ein Knoten“ oder „kein Knoten“. Keine Schicht ' +
      'hatte ein Etikett.',
    question:
      'Antworten Sie zuerst selbst: <strong>Welche Schichten zeigen den Knoten</strong>, eine helle ' +
      'Kugel von 6 Pixeln in der dunklen Lunge? Auch Gefäße sind hell, aber sie gehen von Schicht ' +
      'zu Schicht weiter. Vergleichen Sie dann Ihre Antwort mit der Karte und der Wahrheit.',
    load: 'Die Serie hier öffnen (190 kB)',
    again: 'Noch einmal versuchen',
    loading: 'Die Serie wird geladen.',
    failed: (why) => `Die Serie konnte nicht geöffnet werden: ${why}`,
    undrawn: (why) => `Die Schicht konnte nicht gezeichnet werden: ${why}.`,
    source:
      'Die Seite lädt sich neu, mit der Serie und dem Netz. Kein Bild ist von einem Patienten.',
    slice: 'Schicht',
    of: (n, all) => `${n} von ${all}`,
    guess: 'Hier sehe ich den Knoten',
    answer: 'Karte und Wahrheit zeigen',
    hide: 'Beide verbergen',
    picture: (n) => `Schicht ${n}: ein Querschnitt des Brustkorbs, von den Füßen aus gesehen`,
    rows: { yours: 'Ihre Antwort', map: 'Die Karte', truth: 'Die Wahrheit' },
    ends: { first: 'Füße', last: 'Kopf' },
    marks: (row, those) =>
      `${row}: ${those.length ? `Schichten ${those.join(', ')}` : 'keine Schichten'}`,
    chart: (n, all) => `Bewertungen von ${all} Schichten, von denen sich ${n} abheben`,
    predicted: (p) => `Das Modell sagt einen Knoten vorher (${percent(p)}).`,
    judged: (marked, right, all) =>
      `${count(marked)} Schichten sprechen dafür, und ${right === marked ? 'alle' : count(right)} ` +
      `davon zeigen den Knoten, der in ${count(all)} ist.`,
    yours: (n, right) =>
      `Sie haben ${count(n)} markiert; ${count(right)} davon ${right === 1 ? 'zeigt' : 'zeigen'} ihn.`,
    about: (answered) =>
      answered
        ? 'Balken nach oben sprechen nach Konsens für „ein Knoten“; ein Strich hebt sich nicht ab.'
        : 'Gehen Sie mit dem Regler oder den Pfeiltasten durch die Schichten.',
    judging:
      'Der Karte fehlen die zwei Schichten an den Enden des Knotens, wo er nur ein Rand ist. Das ' +
      'ist kein Fehler der Karte: Dem Netz genügt eine Schicht mit dem Knoten, und den Rand erkennt ' +
      'es nicht. Eine Karte sagt, <em>was das Modell benutzt hat</em>, nicht, wo die Krankheit ' +
      'endet. Messen Sie damit keinen Befund aus.',
    teacher: {
      title: 'Hinweise für den Unterricht',
      steps: [
        'Zehn Minuten, zu zweit. Jedes Paar markiert Schichten, bevor jemand die Karte zeigt.',
        'Fragen Sie, warum jede der fünf Schichten allein genügt, und was es ändert, eine zu ' +
          'entfernen. Es ändert nichts: Die anderen tragen die Vorhersage.',
        'Fragen Sie, wie die Karte für einen Brustkorb ohne Knoten aussähe. Keine Schicht hebt sich ' +
          'dann ab: Es gibt nichts, was dafür spräche.',
        'Die Wahrheit steht in `examples/series/truth.json`, und `make.py` daneben zeichnet andere ' +
          'Serien. Von 200, die es nie gesehen hat, erkennt das Netz 98,5 % richtig.',
      ],
    },
    own:
      '<chest>Öffnen Sie diese Serie mit allen Werkzeugen</chest>: Entfernen Sie Schichten, und ' +
      'suchen Sie die wenigsten, die die Vorhersage umkehren. Auch Ihre eigene DICOM- oder ' +
      'NIfTI-Serie lässt sich dort öffnen.',
  },

  compose: {
    title: 'Einen Beutel zusammenstellen',
    text:
      'Legen Sie Ziffern in einen Beutel oder zeichnen Sie welche. <strong>Sagen Sie zuerst</strong>, ' +
      'was das Netz antworten wird und welche Ziffern die Antwort tragen. Finden Sie dann einen ' +
      'Beutel, den es falsch liest.',
    tray: (most) => `Ziffern für den Beutel, höchstens ${most}`,
    add: (label) => `Eine ${label} hineinlegen`,
    pad: 'Feld, um eine Ziffer zu zeichnen; die Ziffern daneben brauchen keinen Zeiger',
    put: 'Die Zeichnung hineinlegen',
    wipe: 'Wegwischen',
    bag: (k) => (k === 1 ? 'Ihr Beutel: 1 Ziffer' : `Ihr Beutel: ${k} Ziffern`),
    empty: 'Den Beutel leeren',
    save: 'Für Look speichern',
    hint: 'Klicken Sie auf Ziffern, um sie hineinzulegen. Ein Klick auf eine im Beutel nimmt sie heraus.',
    remove: (i, label, score, sign) =>
      `Ziffer ${number(i)} herausnehmen, ${label === null ? 'gezeichnet' : `eine ${label}`}` +
      (score &&
        `; ${sign === 0 ? 'sie hebt sich nicht ab' : `spricht ${sign > 0 ? 'dafür' : 'dagegen'}, ${score}`}`),
    says: 'Was das Netz sagt',
    caption:
      'Nach oben spricht für das, was das Netz sagt, nach unten dagegen; eine Ziffer ohne Balken ' +
      'hebt sich nicht ab. Eine Zeichnung wird zentriert und ist 28 Pixel breit, wie die Ziffern ' +
      'des Trainings, in vier Graustufen. Die Adresse dieser Seite behält den Beutel.',
  },

  own: {
    title: 'Ihr eigenes Modell und Ihre Daten',
    here:
      'Die Methoden auf dieser Seite werten nur Koalitionen aus, sie gehen also für jedes ' +
      'MIL-Modell. Sehen Sie <mean>ein Netz, das über diese Ziffern mittelt</mean>, oder <graph>ein ' +
      'Graph-Netz von ihnen</graph> an, oder <look>öffnen Sie Ihr eigenes Modell und Ihren ' +
      'Beutel</look>. Ihr Browser liest und berechnet sie, und nichts verlässt dieses Gerät. Sie ' +
      'können auch <embed>einen erklärten Beutel in Ihre eigene Seite setzen</embed>, etwa in eine ' +
      'Lektion, ein Handbuch oder den Anhang einer Veröffentlichung.',
    sources: 'Quellen',
    papers:
      'Die Methoden, die Kurve der Ziehung und die Prüfungen sind von Joseph Early, Christine Evers ' +
      'und Sarvapali Ramchurn, <cite>Model Agnostic Interpretability for Multiple Instance ' +
      'Learning</cite>, ICLR 2022. Die Beutel von Ziffern folgen deren 4-MNIST-Bags. Unser ' +
      'Generator zeichnet die Ziffern und die Vektoren. Shapley-Werte als gewichtete Regression ' +
      'sind von Lundberg und Lee (2017), das Ersatzmodell um eine Eingabe von Ribeiro, Singh und ' +
      'Guestrin (2016), Attention-Pooling von Ilse, Tomczak und Welling (2018), und AOPC von Samek ' +
      'und anderen (2017).',
    limits:
      'Eine Erklärung zeigt, was dieses Modell tut, nicht, was wahr ist. Sie ist kein ' +
      'Medizinprodukt. bagscope ist freie Software unter der Apache License 2.0.',
    licences: 'Lizenzen der Bestandteile',
  },

  room: {
    label: 'Vor Publikum',
    show: 'Die Bewertungen zeigen',
    hide: 'Die Bewertungen verbergen',
    before: 'Vorige Abbildung',
    next: 'Nächste Abbildung',
    place: (n, of) => `${n} von ${of}`,
  },
};
