// Marks as in the English article.
import { count, number, percent, plain, signed } from '../../lib/format.ts';
import type { Strings } from '../index.ts';

const numbers = [
  'aucun',
  'un',
  'deux',
  'trois',
  'quatre',
  'cinq',
  'six',
  'sept',
  'huit',
  'neuf',
  'dix',
];
const spelt = (n: number) => numbers[n] ?? String(n);

export const article: Strings['article'] = {
  skip: 'Aller à l’article',

  hero: {
    title: 'Regarder dans le sac',
    lead:
      'Certains modèles prédisent une seule étiquette pour tout un sac (<em>bag</em>) d’instances. ' +
      '<em>Quelles</em> instances ont mené à la prédiction, et <em>quelle classe</em> chacune ' +
      'soutient-elle ou réfute-t-elle ? Changez le sac ci-dessous pour le découvrir.',
    figure: 'Le sac et la prédiction',
    trust: 'Est-ce fiable ?',
    measuring: 'La fiabilité de ces scores est en cours de mesure…',
    own:
      'Vous avez un modèle à vous ? <look>Ouvrez-le avec un sac</look> ; tous deux restent sur votre ' +
      'machine.',
    bag: (k, nouns, out) =>
      `${k} ${nouns}, ${out === 0 ? 'tout est dans le sac' : `dont ${out} hors du sac`}`,
    signs: (className) =>
      `<plus>Vers le haut : soutient</plus> « ${className} ». <minus>Vers le bas : réfute</minus>.`,
    click: (noun) => `Cliquez dans le sac (${noun}) pour retirer.`,
    predicts: (className) => `Le modèle prédit « ${className} »`,
    digit: (k, predicted, p, tallest) =>
      `Le sac ci-dessus contient ${k} chiffres. À l’entraînement, le modèle n’a reçu qu’une étiquette ` +
      'par sac : s’il contient un 8, un 9, les deux ou aucun. Il n’a jamais reçu l’étiquette d’un ' +
      `chiffre. Pour ce sac, il prédit « ${predicted} » avec une probabilité de ${percent(p)}. Les ` +
      'barres sous les chiffres sont calculées ensuite, à partir de prédictions pour des parties du ' +
      `sac. Ce sont des changements des log-odds ; la plus haute est ${plain(tallest, 2)}.`,
    patch: (k, predicted, p) =>
      `Le sac ci-dessus contient ${k} vignettes d’une lame. À l’entraînement, le modèle n’a reçu ` +
      'qu’une étiquette par lame : si elle contient une glande. Il n’a jamais reçu l’étiquette d’une ' +
      `vignette. Pour cette lame, il prédit « ${predicted} » avec une probabilité de ${percent(p)}. Les ` +
      'barres sous les vignettes sont calculées ensuite, à partir de prédictions pour des parties de ' +
      'la lame.',
    moment: (k, predicted, p) =>
      `Le sac ci-dessus contient ${k} mesures d’une machine pendant une journée. Chacune est une ` +
      'température et une vibration, dessinées comme un point. À l’entraînement, le modèle n’a reçu ' +
      `qu’une étiquette par journée. Pour cette journée, il prédit « ${predicted} » avec une ` +
      `probabilité de ${percent(p)}. Les barres sont calculées ensuite, à partir de prédictions pour ` +
      'des parties de la journée.',
    mil:
      'C’est l’<dfn>apprentissage à instances multiples</dfn> (MIL). Les lames de tissu (un sac de ' +
      'vignettes avec un diagnostic), les photographies (un sac de segments) et les molécules (un sac ' +
      'de formes) se lisent de la même façon. Les étiquettes de sacs coûtent peu, mais elles ne ' +
      'montrent pas quelles instances comptent.',
    temperature: 'température',
    vibration: 'vibration',
  },

  bar: 'Le sac',

  removing: {
    title: 'Retirer une instance',
    write: (className) =>
      'Soit X le sac et F(X) la prédiction du modèle, un nombre pour chaque classe. Pour la classe ' +
      `« ${className} », c’est`,
    argument: (noun) =>
      'Si une instance est importante, la prédiction change sans elle. Un modèle MIL accepte des sacs ' +
      'de toute taille ; on peut donc simplement laisser de côté une instance. Cliquez sur n’importe ' +
      `laquelle (${noun}) et regardez la nouvelle prédiction.`,
    steps: (className) => `« ${className} » après chaque retrait`,
    left: (className) => `La prédiction de « ${className} » pour les instances restantes.`,
    last: (change, now) =>
      `Le dernier retrait l’a changée de ${signed(change, 4)}, à ${percent(now)}.`,
    some: 'Retirez plusieurs instances, l’une après l’autre.',
    buttons:
      'Si plusieurs instances du même genre soutiennent une classe, la prédiction reste quand on en ' +
      'retire une. Elle change quand on les retire toutes. Les explications simples échouent dans ce ' +
      'cas.',
  },

  attention: {
    title: 'L’attention ne montre pas la classe',
    own:
      'Beaucoup de modèles MIL donnent à chaque instance un poids, son <dfn>attention</dfn>, et font la ' +
      'somme pondérée des instances. Les poids montrent <em>quelles</em> instances le modèle utilise. ' +
      'Ils n’ont ni signe ni classe : ils ne montrent donc pas <em>quelle classe</em> une instance ' +
      'soutient.',
    figure: 'L’attention, et les scores de chaque classe',
    caption:
      'La première ligne est l’attention du modèle ; elle est la même pour toutes les classes. Dessous, ' +
      'il y a une ligne par classe. <plus>Vers le haut soutient</plus>, <minus>vers le bas ' +
      'réfute</minus>, un tiret gris ne se démarque pas de 0. Toutes les classes ont la même échelle.',
    digits:
      'Lisez une colonne de haut en bas. Un 8 et un 9 peuvent avoir la même attention, mais le 9 est la ' +
      'preuve la plus forte <em>contre</em> « un 8 ». Une carte de chaleur de l’attention montre les ' +
      'deux de la même couleur.',
    others: (className) =>
      `Lisez une colonne de haut en bas. Une instance qui soutient « ${className} » réfute une autre ` +
      'classe, mais elle n’a qu’une attention. Une carte de chaleur de l’attention montre quelles ' +
      'instances le modèle utilise, non les classes qu’elles soutiennent.',
    none:
      'Ce modèle prend le maximum sur le sac et n’a pas d’attention. Les lignes du dessous n’ont besoin ' +
      'que de prédictions : elles existent donc pour tout modèle.',
    want:
      'Nous voulons un score pour chaque instance et chaque classe : positif si l’instance soutient la ' +
      'classe, négatif si elle la réfute. La méthode doit marcher pour tout modèle et n’utiliser que ' +
      'des prédictions.',
  },

  alone: {
    title: 'Une instance à la fois',
    more: (instance) => `Les formules, avec les nombres de : ${instance}`,
    questions:
      'Il y a deux méthodes simples. <strong>Seule</strong> est la prédiction pour un sac qui ne ' +
      'contient que cette instance. <strong>Une retirée</strong> est le changement de la prédiction ' +
      'quand cette instance est retirée.',
    figure: (className) => `Trois méthodes pour « ${className} »`,
    caption: (className, most) =>
      `Les scores pour « ${className} » par les deux méthodes simples et par MILLI, que les sections ` +
      'suivantes expliquent. Chaque ligne a sa propre échelle : la plus grande barre de « Une ' +
      `retirée » est ${plain(most, 4)}. « Seule » est dessinée depuis sa moyenne sur le sac ; un tiret ` +
      'gris ne se démarque pas du point neutre.',
    twins: (n, group) =>
      `Ce sac contient ${spelt(n)} ${group}. Si l’on en retire un élément, les autres soutiennent encore ` +
      'la classe et la prédiction reste. « Une retirée » leur donne donc à tous un score proche de 0.',
    noTwins:
      'Dans ce sac, aucune instance n’en remplace une autre : « Une retirée » marche donc. Si un sac ' +
      'contient deux instances du même genre, chacune remplace l’autre, et « Une retirée » donne aux ' +
      'deux un score proche de 0.',
    blind: (noun) =>
      '« Seule » a la faiblesse inverse : elle ne combine jamais les instances. Si une classe a besoin de ' +
      `deux instances différentes, aucune ne suffit isolément (${noun}).`,
    both:
      'Les deux méthodes échouent pour la même raison : elles regardent des sacs d’une instance, ou de ' +
      'toutes sauf une, et rien entre les deux.',
  },

  coalitions: {
    title: 'Utiliser des coalitions',
    groups: (k) =>
      'Une <dfn>coalition</dfn> est un sous-ensemble du sac, dessiné ci-dessous comme une rangée de ' +
      'marques : une marque pleine signifie que l’instance est dans la coalition. Ce sac a ' +
      `2<sup>${k}</sup> coalitions, environ ${count(2 ** k / 1e6)} millions. Nous en tirons donc ` +
      'quelques-unes au hasard et calculons la prédiction pour chacune.',
    fit:
      'Puis nous ajustons un <dfn>modèle de substitution</dfn> (<em>surrogate</em>), un modèle additif ' +
      'simple : il ajoute un nombre fixe pour chaque instance de la coalition.',
    settle:
      'Ces nombres sont l’explication. Appuyez sur Lecture et observez-les pendant que le nombre de ' +
      'coalitions augmente. Avec peu de coalitions, les barres sont surtout du bruit. Avec beaucoup, ' +
      'seules les instances qui changent la prédiction gardent de grandes barres.',
    of: (n, all) => `${n} sur ${all}`,
    figure: (className) =>
      `Des coalitions, la prédiction de « ${className} » et le modèle de substitution`,
    points: (r2) =>
      'Chaque point est une coalition. Sur la ligne tiretée, le modèle de substitution et le modèle ' +
      `sont d’accord. R² = ${r2 == null ? '–' : plain(r2, 3)}.`,
    caption: (shown, fitted) =>
      `Les douze dernières de ${shown} coalitions ; plein signifie que l’instance y est. À droite, la ` +
      'prédiction pour chacune ; en haut, le modèle de substitution ajusté à toutes les ' +
      `${fitted}.`,
    note: (again) =>
      'R² est la part de la variation des prédictions que le modèle de substitution reproduit. Le bouton ' +
      `« ${again} » tire d’autres coalitions avec une autre graine. Les barres qui changent avec la ` +
      'graine sont du bruit.',
    fitted: (n) => `φ ajusté à ${n}`,
    heads: ['instances dedans', 'F(z)', 'lesquelles y sont'],
    surrogate: 'substitut g(z)',
    model: 'modèle F(z)',
    plot: (n, r2) =>
      `La prédiction face au modèle de substitution pour ${n} coalitions. R² ${plain(r2, 2)}.`,
  },

  curve: {
    title: 'Choisir les coalitions',
    coin: (first) =>
      'Avec une probabilité d’un demi pour chaque instance, une coalition contient environ la moitié du ' +
      'sac. Si peu d’instances décident, presque toutes ces coalitions en contiennent une. Les ' +
      'prédictions se ressemblent alors toutes et portent peu d’information. <strong>MILLI</strong> ' +
      'range les instances : la première est celle qui, seule, ressemble le moins à la classe ' +
      `négative, ici ${first}. Les premiers rangs sont alors tirés rarement ; une coalition contient ` +
      'donc souvent l’un d’eux sans les autres de son genre, et la prédiction dépend de lui.',
    more: 'Les probabilités en formule, et leurs réglages',
    law: 'L’instance de rang r est dans une coalition avec la probabilité',
    bend: (alpha, fifth) =>
      `Le premier rang a la probabilité α = ${plain(alpha)}, le dernier 1 − α. β courbe ce qui est entre ` +
      `eux : le rang 5 a ${plain(fifth)}.`,
    figure: 'Des coalitions, avec les instances dans l’ordre de leurs rangs',
    caption: (size, k, mean) =>
      'Le premier graphique montre la probabilité de chaque rang, le second la taille attendue d’une ' +
      'coalition : la somme des probabilités (tirets : l’intégrale de la publication). Ici E|z| = ' +
      `${plain(size, 1)} sur ${k} ; les coalitions tirées contiennent ${plain(mean, 1)} en moyenne. Les ` +
      'lignes montrent les dernières.',
    suit: (r2) =>
      'Aucun α ni β n’est le meilleur pour toute tâche. « Un 8 et un 9 » a besoin d’une paire, et les ' +
      'coalitions avec les deux sont rares si tous deux ont de faibles probabilités. Augmentez α et ' +
      'regardez la figure ci-dessus : le même nombre de coalitions donne un autre ajustement. R² vaut ' +
      `maintenant ${plain(r2, 2)}.`,
    tasks:
      'Si une instance parmi des centaines décide, les petites coalitions sont les meilleures : ' +
      'la publication utilise α = 0,008, β = −5 pour le tissu. Pour des sacs de chiffres, elle utilise ' +
      'α = 0,05, β = 0,01.',
    rank: 'rang r',
    chance: 'probabilité π d’y être',
    chances: (first, last) =>
      `La probabilité d’être dans une coalition, de ${plain(first)} pour l’instance la plus importante à ` +
      `${plain(last)} pour la moins importante.`,
    size: 'E|z|, taille attendue',
    sizes: (alpha, size, k, beta) =>
      `La taille attendue d’une coalition selon β, pour α ${plain(alpha)} : ${plain(size, 1)} sur ` +
      `${k} instances à β ${plain(beta)}.`,
  },

  methods: {
    title: 'Comparer les méthodes',
    all: (className) =>
      'La figure montre les méthodes de la publication et <strong>Consensus</strong>, notre méthode et celle ' +
      `de la première figure, pour « ${className} ». Consensus n’a pas de réglages : elle fait la ` +
      'moyenne de ce dont une instance change les log-odds de la classe quand elle rejoint des sacs ' +
      'des autres, moins suspectes.',
    more: 'En quoi les méthodes de la publication diffèrent',
    differ:
      'Elles diffèrent par les coalitions qu’elles évaluent et par le poids de chacune dans ' +
      'l’ajustement. SHAP donne le plus de poids aux coalitions les plus petites et les plus grandes, ' +
      'LIME à celles qui ressemblent le plus au sac entier. Les méthodes « guidées » utilisent des ' +
      'coalitions dans un ordre fixe, les « aléatoires » les tirent.',
    heads: ['NDCG@n', 'AOPC-R', 'coalitions'],
    figure: (className) => `Toutes les méthodes pour « ${className} »`,
    caption:
      'Choisissez une méthode pour la tester ci-dessous. <em>NDCG@n</em> et <em>AOPC-R</em> mesurent sa ' +
      'qualité ; <em>coalitions</em> est le nombre qu’elle évalue.',
  },

  proof: {
    title: 'Tester une explication',
    test:
      'Des barres ont toujours l’air convaincantes. Ce test n’a pas besoin d’étiquettes d’instances : ' +
      '<strong>retirez les instances dans l’ordre de l’explication</strong>, la plus importante ' +
      'd’abord. Avec une bonne explication, la prédiction chute aussitôt. Avec une mauvaise, elle ne ' +
      'chute pas plus vite que dans un ordre aléatoire.',
    of: (n, all) => `${n} sur ${all}`,
    figure: (className) => `« ${className} » pendant le retrait d’instances`,
    row: (m) => `m = ${m}`,
    begin: (method) =>
      `Appuyez sur Lecture pour retirer des instances dans l’ordre de ${method}. La ligne fine montre ` +
      'toute la courbe. Tirets : la moyenne d’ordres aléatoires et son écart type.',
    caption: (method, left, className, gone) =>
      'La ligne épaisse montre la prédiction pendant le retrait d’instances dans l’ordre de ' +
      `${method} : « ${className} » a ${percent(left)} sans ` +
      `${gone === 1 ? 'la première' : `les ${gone} premières`}. Tirets : la moyenne d’ordres ` +
      'aléatoires et son écart type.',
    aopc: (method, aopc) =>
      'L’aire entre les deux courbes est la mesure <strong>AOPC-R</strong> : la chute moyenne dans ' +
      'l’ordre de l’explication moins la chute moyenne dans un ordre aléatoire. Pour ' +
      `${method} et cette classe, elle vaut ${plain(aopc)}. Zéro est aussi bon que le hasard.`,
    known: 'Si les étiquettes des instances sont connues : NDCG@n',
    ndcg:
      '<strong>NDCG@n</strong> vérifie les n instances aux scores les plus élevés, où n est le nombre ' +
      'd’instances qui soutiennent la classe. Les premiers rangs comptent plus.',
    places: (n) => (n === 1 ? 'Le premier rang' : `Les ${spelt(n)} premiers rangs`),
    more: (n) => `et ${n} de plus`,
    log: 'log',
    nothing: (className) =>
      `Aucune instance étiquetée de ce sac ne soutient « ${className} » : NDCG@n n’est donc pas défini.`,
    wrong:
      'Une explication peut être fidèle et sembler pourtant fausse. Alors le modèle utilise les ' +
      'mauvaises instances. Les explications sont faites pour trouver de tels modèles.',
    taken: 'instances retirées, m',
    value: 'F(X sans les m premières)',
    plot: (className, method, whole, left, gone, aopc) =>
      `« ${className} » dans l’ordre de ${method} : ${percent(whole)} avec toutes les instances, ` +
      `${percent(left)} sans les ${gone} premières. AOPC-R ${plain(aopc)}.`,
  },

  together: {
    title: 'Regarder paires et ensembles',
    one:
      'Un nombre par instance ne peut pas dire que deux d’entre elles sont nécessaires ' +
      '<em>ensemble</em>, ni que l’une des deux suffit. Une <dfn>question hypothétique</dfn> le peut : ' +
      'changez le sac et recalculez la prédiction.',
    pair:
      'L’<dfn>interaction</dfn> de deux instances i et j est ce que les deux ensemble apportent à une ' +
      'coalition S, moins ce que chacune apporte seule.',
    signs:
      'Nous prenons la moyenne sur de nombreuses coalitions aléatoires, en log-odds. Au-dessus de 0, les ' +
      'deux instances <strong>se complètent</strong> : ensemble elles apportent plus. Au-dessous de 0, ' +
      'elles <strong>se remplacent</strong> : la seconde apporte peu.',
    figure: (className) => `Instances qui agissent ensemble sur « ${className} »`,
    tile: (instance, out, next) =>
      out
        ? `${instance}, hors du sac`
        : instance +
          (next === undefined ? '' : `, la prédiction sans cette instance est ${percent(next)}`),
    now: (className, p) => `Prédiction de « ${className} » : ${percent(p)}`,
    times: (n) => (n > 1 ? `× ${n}` : ''),
    completes: 'se complètent',
    standsIn: 'se remplacent',
    interaction: (x, stderr) =>
      stderr > 0 ? `${signed(x, 1)} ± ${plain(stderr, 1)}` : signed(x, 1),
    caption: (className) =>
      `Les paires les plus fortes de tout le sac pour « ${className} ». Les instances qui agissent de ` +
      'même sont côte à côte et comptées comme une. Le nombre sous une instance est la prédiction si on ' +
      'la retire ensuite. Une ligne continue joint des instances qui se complètent, une ligne tiretée ' +
      'celles qui se remplacent. Les interactions sont en log-odds, avec erreurs types.',
    noPairs: (className) =>
      `Aucune paire d’instances de ce sac n’agit ensemble sur « ${className} » plus que le hasard ne ` +
      'l’explique.',
    replace: (n, group, className, p) =>
      `Dans ce sac, ${spelt(n)} ${group} se remplacent. Retirez un de ces éléments : le modèle prédit ` +
      `encore « ${className} », il semble donc ne pas compter. ` +
      (n === 2
        ? 'Mais regardez le nombre sous l’autre : maintenant il décide seul. '
        : 'Retirez les autres jusqu’à ce qu’il en reste un, et regardez son nombre : il décide seul. ') +
      `Sans ${n === 2 ? 'les deux' : 'eux tous'}, la prédiction est ${percent(p)}.`,
    sets:
      'Des ensembles d’instances répondent à deux questions de plus. Un ensemble est ' +
      '<dfn>suffisant</dfn> si le modèle prédit la classe à partir de ces seules instances. Un ensemble ' +
      'est <dfn>nécessaire</dfn> si le modèle ne prédit pas la classe sans lui.',
    sufficient: (className) => `Suffisants pour « ${className} » : la prédiction de chacun seul`,
    necessary: (className) => `Nécessaires pour « ${className} » : la prédiction sans chacun`,
    noSufficient: 'Aucune instance de ce sac ne donne cette prédiction.',
    noNecessary:
      'Il n’y en a pas : le sac n’est pas prédit comme étant de cette classe, ou toutes ses parties le sont.',
    setCaption:
      'Les plus petits ensembles, jusqu’à trois de chaque genre sans instance commune. Aucun ensemble ' +
      'plus petit ne décide : tous ont été évalués.',
    more:
      'L’<look>explorateur</look> trouve paires et ensembles dans vos propres sacs, et le moins de ' +
      'changements qui renversent une prédiction, sous « Et si ? ».',
  },

  slide: {
    title: 'D’une lame à une carte',
    cut:
      'L’image d’une lame de tissu a jusqu’à 100 000 pixels de côté. Aucun réseau ne la prend en ' +
      'entier ; elle est donc coupée en <dfn>vignettes</dfn> (<em>patches</em>), et les vignettes sur du ' +
      'tissu deviennent le sac. Deux nombres définissent une vignette : sa <strong>taille en ' +
      'pixels</strong> et les <strong>microns par pixel</strong>. Une vignette de 27 pixels à 1 micron ' +
      'couvre 27 microns de tissu, soit environ quatre noyaux.',
    question:
      'Le réseau ci-dessous a appris de sacs avec une étiquette chacun : « beaucoup de noyaux » si au ' +
      'moins une vignette est remplie de noyaux. Aucune vignette n’avait d’étiquette. Il a été entraîné ' +
      'sur la partie supérieure de la lame, et ses réglages ont été choisis sur la partie suivante. Il ' +
      'n’a jamais vu le quart du bas.',
    load: 'Ouvrir la lame ici (2,7 Mo)',
    again: 'Réessayer',
    loading: 'La lame est en cours de chargement.',
    failed: (why) => `La lame n’a pas pu être ouverte : ${why}`,
    undrawn: (why) => `La lame n’a pas pu être dessinée : ${why}.`,
    source:
      'La page se recharge avec la lame et le réseau. La lame est CMU-1-Small-Region.svs de ' +
      'l’université Carnegie Mellon, données de test d’OpenSlide (CC0).',
    layer: 'Sur la lame',
    layers: { slide: 'Rien', map: 'La carte', truth: 'La vérité', top: 'Les n premières' },
    scale: 'Microns par pixel',
    microns: (m) => `${plain(m)} µm`,
    rank: 'Vignette de rang',
    of: (n, all) => `${n} sur ${all}`,
    picture: (layer) =>
      ({
        slide: 'La lame : une bande d’épithélium violet dans du tissu conjonctif rose',
        map: 'La lame sous la carte : les vignettes qui soutiennent « beaucoup de noyaux » sont colorées',
        truth:
          'La lame sous la vérité : plus les noyaux couvrent une vignette, plus elle est colorée',
        top: 'Les n vignettes aux scores les plus élevés : trouvées, fausses et manquées',
      })[layer],
    patch: 'La vignette telle que le réseau la prend',
    chosen: (rank, share, many) =>
      `Rang ${rank}. Les noyaux couvrent ${percent(share)} de cette vignette : ${many ? 'beaucoup' : 'peu'}.`,
    laying: 'Les vignettes sont posées sur le tissu.',
    encoding: (done, total) => `${done} vignettes sur ${total} sont encodées.`,
    judged: ({ order, n, found, ndcg, random }) =>
      `${n} vignettes sur ${order.length} ont beaucoup de noyaux. Parmi les ${n} aux scores les plus ` +
      `élevés, ${found} en ont beaucoup. NDCG@${n} vaut ${plain(ndcg, 2)} ; une carte aléatoire a ` +
      `${plain(random, 2)}.`,
    about: {
      slide: 'La lame, telle que son scanner l’a enregistrée.',
      map: 'En couleur : les vignettes qui soutiennent « beaucoup de noyaux », selon Consensus. Plus fort, c’est plus.',
      truth:
        'En couleur : la part de chaque vignette que couvrent les noyaux, mesurée sur les pixels.',
      top:
        'Les carrés pleins sont trouvés : parmi les n premières de la carte, avec beaucoup de noyaux. Les ' +
        'croix sont fausses : parmi les n premières, avec peu. Les carrés vides sont manqués.',
    },
    judging:
      'Une carte a vite l’air convaincante. Pour la juger, il faut une vérité que le réseau n’a pas ' +
      'reçue. Ici, elle est dans les pixels : l’hématoxyline colore les noyaux ; un programme peut donc ' +
      'les trouver et mesurer quelle part d’une vignette ils couvrent. Les vignettes avec au moins 15 % ' +
      'comptent comme remplies. <strong>NDCG@n</strong> leur compare les n premières vignettes de la ' +
      'carte, comme plus haut. Une carte aléatoire atteint, en moyenne, la part de vignettes remplies. ' +
      'Comparez une carte à ce nombre, non à zéro.',
    scales:
      'Changez maintenant les microns par pixel. Le réseau prend 27 pixels sur 27 à toute échelle ; rien ' +
      'n’échoue donc. Mais il a appris des noyaux d’environ 8 pixels. À 2 microns ils en ont 4, à 0,5 ils ' +
      'en ont 16, et la carte peut suivre autre chose. C’est pourquoi une fiche de modèle indique les ' +
      'microns, et pourquoi bagscope les lit.',
    own:
      'La partie de la lame sur laquelle le réseau a appris est aussi sur la carte. Ne jugez un réseau que ' +
      'là où il n’a pas appris : NDCG@n du seul quart du bas est dans le fichier ' +
      '`examples/slide/README.md`. <scan>Ouvrez cette lame avec tous les outils</scan>, ou la vôtre.',
  },

  series: {
    title: 'Quelles coupes ?',
    bag:
      'Une série de scanner est aussi un sac : ses <dfn>coupes</dfn> sont les instances, et le compte ' +
      'rendu dit une chose de toutes. Le réseau ci-dessous a reçu des thorax dessinés, et d’abord des ' +
      'parties de 8 coupes, avec une étiquette chacun : « un nodule » ou « pas de nodule ». Aucune coupe ' +
      'n’avait d’étiquette.',
    question:
      'Répondez d’abord vous-même : <strong>quelles coupes montrent le nodule</strong>, une boule claire ' +
      'de 6 pixels dans le poumon sombre ? Les vaisseaux sont clairs aussi, mais ils continuent de coupe ' +
      'en coupe. Comparez ensuite votre réponse à la carte et à la vérité.',
    load: 'Ouvrir la série ici (190 ko)',
    again: 'Réessayer',
    loading: 'La série est en cours de chargement.',
    failed: (why) => `La série n’a pas pu être ouverte : ${why}`,
    undrawn: (why) => `La coupe n’a pas pu être dessinée : ${why}.`,
    source: 'La page se recharge avec la série et le réseau. Aucune image ne vient d’un patient.',
    slice: 'Coupe',
    of: (n, all) => `${n} sur ${all}`,
    guess: 'Je vois le nodule ici',
    answer: 'Montrer la carte et la vérité',
    hide: 'Les cacher',
    picture: (n) => `Coupe ${n} : une section d’un thorax, vue depuis les pieds`,
    rows: { yours: 'Votre réponse', map: 'La carte', truth: 'La vérité' },
    ends: { first: 'pieds', last: 'tête' },
    marks: (row, those) =>
      `${row} : ${those.length ? `coupes ${those.join(', ')}` : 'aucune coupe'}`,
    chart: (n, all) => `Scores de ${all} coupes, dont ${n} se démarquent`,
    predicted: (p) => `Le modèle prédit un nodule (${percent(p)}).`,
    judged: (marked, right, all) =>
      `${count(marked)} coupes le soutiennent, et ${right === marked ? 'toutes' : count(right)} ` +
      `montrent le nodule, qui est dans ${count(all)}.`,
    yours: (n, right) =>
      `Vous en avez marqué ${count(n)} ; ${count(right)} d’entre elles le ${right > 1 ? 'montrent' : 'montre'}.`,
    about: (answered) =>
      answered
        ? 'Les barres vers le haut soutiennent « un nodule », selon Consensus ; un tiret ne se démarque pas.'
        : 'Parcourez les coupes avec le curseur ou les flèches.',
    judging:
      'Il manque à la carte les deux coupes aux bouts du nodule, où il n’est qu’un bord. Ce n’est pas un ' +
      'défaut de la carte : une coupe avec le nodule suffit au réseau, et il ne reconnaît pas le bord. ' +
      'Une carte dit <em>ce que le modèle a utilisé</em>, non où finit la maladie. Ne mesurez pas une ' +
      'lésion avec elle.',
    teacher: {
      title: 'Notes pour l’enseignant',
      steps: [
        'Dix minutes, à deux. Que chaque paire marque des coupes avant que l’on montre la carte.',
        'Demandez pourquoi n’importe laquelle des cinq coupes suffit, et ce que change le retrait de ' +
          'l’une. Rien ne change : les autres portent la prédiction.',
        'Demandez à quoi ressemblerait la carte d’un thorax sans nodule. Aucune coupe ne se démarque ' +
          'alors : il n’y a rien à soutenir.',
        'La vérité est dans `examples/series/truth.json`, et `make.py` à côté dessine d’autres séries. Le ' +
          'réseau a raison pour 98,5 % de 200 qu’il n’a jamais vues.',
      ],
    },
    own:
      '<chest>Ouvrez cette série avec tous les outils</chest> : retirez des coupes, et cherchez le moins ' +
      'de coupes qui renversent la prédiction. Votre propre série DICOM ou NIfTI s’y ouvre aussi.',
  },

  compose: {
    title: 'Composer un sac',
    text:
      'Mettez des chiffres dans un sac, ou dessinez-en. <strong>Dites d’abord</strong> ce que le réseau ' +
      'répondra, et quels chiffres porteront la réponse. Puis trouvez un sac qu’il lit mal.',
    tray: (most) => `Chiffres à mettre dans le sac, au plus ${most}`,
    add: (label) => `Ajouter un ${label}`,
    pad: 'Surface pour dessiner un chiffre ; les chiffres à côté se passent de pointeur',
    put: 'Ajouter le dessin',
    wipe: 'Effacer',
    bag: (k) => (k === 1 ? 'Votre sac : 1 chiffre' : `Votre sac : ${k} chiffres`),
    empty: 'Vider le sac',
    save: 'Enregistrer pour Look',
    hint: 'Cliquez sur des chiffres pour les mettre dans le sac. Un clic sur l’un du sac l’en retire.',
    remove: (i, label, score, sign) =>
      `Retirer le chiffre ${number(i)}, ${label === null ? 'dessiné' : `un ${label}`}` +
      (score &&
        ` ; ${sign === 0 ? 'il ne se démarque pas' : `${sign > 0 ? 'soutient' : 'réfute'}, ${score}`}`),
    says: 'Ce que dit le réseau',
    caption:
      'Vers le haut soutient ce que dit le réseau, vers le bas le réfute ; un chiffre sans barre ne se ' +
      'démarque pas. Un dessin est centré et large de 28 pixels, comme les chiffres de l’entraînement, ' +
      'en quatre gris. L’adresse de cette page garde le sac.',
  },

  own: {
    title: 'Utiliser votre modèle et vos données',
    here:
      'Les méthodes de cette page ne font qu’évaluer des coalitions : elles marchent donc pour tout ' +
      'modèle MIL. Regardez <mean>un réseau qui fait la moyenne de ces chiffres</mean> ou <graph>un ' +
      'réseau de graphes</graph>, ou <look>ouvrez votre propre modèle et votre sac</look>. Votre ' +
      'navigateur les lit et les calcule, et rien ne quitte cette machine. Vous pouvez aussi ' +
      '<embed>mettre un sac expliqué dans votre propre page</embed>, comme une leçon, un manuel ou le ' +
      'supplément d’une publication.',
    sources: 'Sources',
    papers:
      'Les méthodes, la courbe de tirage et les tests sont de Joseph Early, Christine Evers et Sarvapali ' +
      'Ramchurn, <cite>Model Agnostic Interpretability for Multiple Instance Learning</cite>, ICLR 2022. ' +
      'Les sacs de chiffres suivent leurs 4-MNIST-Bags. Notre générateur dessine les chiffres et les ' +
      'vecteurs. Les valeurs de Shapley comme régression pondérée sont de Lundberg et Lee (2017), le ' +
      'modèle de substitution autour d’une entrée de Ribeiro, Singh et Guestrin (2016), l’agrégation par ' +
      'attention d’Ilse, Tomczak et Welling (2018), et AOPC de Samek et autres (2017).',
    limits:
      'Une explication montre ce que fait ce modèle, non ce qui est vrai. Ce n’est pas un dispositif ' +
      'médical. bagscope est un logiciel libre sous la licence Apache 2.0.',
    licences: 'Licences de ce qu’il contient',
  },

  room: {
    label: 'En salle',
    show: 'Montrer les scores',
    hide: 'Cacher les scores',
    before: 'Figure précédente',
    next: 'Figure suivante',
    place: (n, of) => `${n} sur ${of}`,
  },
};
