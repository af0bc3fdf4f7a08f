// Marks as in the English article.
import { count, number, percent, plain, signed } from '../../lib/format.ts';
import type { Strings } from '../index.ts';

const numbers = [
  'ningún',
  'un',
  'dos',
  'tres',
  'cuatro',
  'cinco',
  'seis',
  'siete',
  'ocho',
  'nueve',
  'diez',
];
const spelt = (n: number) => numbers[n] ?? String(n);

export const article: Strings['article'] = {
  skip: 'Saltar al artículo',

  hero: {
    title: 'Mirar dentro de la bolsa',
    lead:
      'Algunos modelos predicen una sola etiqueta para toda una bolsa (<em>bag</em>) de instancias. ' +
      '¿<em>Qué</em> instancias llevaron a la predicción, y <em>qué clase</em> apoya o refuta cada ' +
      'una? Cambie la bolsa de abajo y averígüelo.',
    figure: 'La bolsa y la predicción',
    trust: '¿Hasta qué punto es fiable?',
    measuring: 'Se está midiendo la fiabilidad de estas puntuaciones…',
    own: '¿Tiene un modelo propio? <look>Ábralo con una bolsa</look>; ambos se quedan en su equipo.',
    bag: (k, nouns, out) => `${k} ${nouns}, ${out === 0 ? 'todos en la bolsa' : `${out} quitados`}`,
    signs: (className) =>
      `<plus>Hacia arriba: apoya</plus> «${className}». <minus>Hacia abajo: la refuta</minus>.`,
    click: (noun) => `Haga clic en un ${noun} para quitarlo.`,
    predicts: (className) => `El modelo predice «${className}»`,
    digit: (k, predicted, p, tallest) =>
      `La bolsa de arriba contiene ${k} dígitos. En el entrenamiento, el modelo recibió una sola ` +
      'etiqueta por bolsa: si contiene un 8, un 9, ambos o ninguno. Nunca recibió la etiqueta de un ' +
      `dígito. Para esta bolsa predice «${predicted}» con una probabilidad de ${percent(p)}. Las ` +
      'barras bajo los dígitos se calculan después, a partir de predicciones para partes de la ' +
      `bolsa. Son cambios de los log-odds; la más alta es ${plain(tallest, 2)}.`,
    patch: (k, predicted, p) =>
      `La bolsa de arriba contiene ${k} recortes de una preparación. En el entrenamiento, el modelo ` +
      'recibió una sola etiqueta por preparación: si contiene una glándula. Nunca recibió la ' +
      `etiqueta de un recorte. Para esta preparación predice «${predicted}» con una probabilidad de ` +
      `${percent(p)}. Las barras bajo los recortes se calculan después, a partir de predicciones ` +
      'para partes de la preparación.',
    moment: (k, predicted, p) =>
      `La bolsa de arriba contiene ${k} mediciones de una máquina durante un día. Cada una es una ` +
      'temperatura y una vibración, dibujadas como un punto. En el entrenamiento, el modelo recibió ' +
      `una sola etiqueta por día. Para este día predice «${predicted}» con una probabilidad de ` +
      `${percent(p)}. Las barras se calculan después, a partir de predicciones para partes del día.`,
    mil:
      'Esto es el <dfn>aprendizaje de múltiples instancias</dfn> (MIL). Preparaciones de tejido (una ' +
      'bolsa de recortes con un diagnóstico), fotografías (una bolsa de segmentos) y moléculas (una ' +
      'bolsa de formas) se leen del mismo modo. Las etiquetas de bolsas son baratas, pero no ' +
      'muestran qué instancias importan.',
    temperature: 'temperatura',
    vibration: 'vibración',
  },

  bar: 'La bolsa',

  removing: {
    title: 'Quitar una instancia',
    write: (className) =>
      'Sea X la bolsa y F(X) la predicción del modelo, un número para cada clase. Para la clase ' +
      `«${className}» es`,
    argument: (noun) =>
      'Si una instancia es importante, la predicción cambia sin ella. Un modelo MIL acepta bolsas de ' +
      'cualquier tamaño, así que basta con dejar fuera una instancia. Haga clic en cualquier ' +
      `${noun} y mire la nueva predicción.`,
    steps: (className) => `«${className}» después de cada retirada`,
    left: (className) => `La predicción de «${className}» para las instancias restantes.`,
    last: (change, now) =>
      `La última retirada la cambió en ${signed(change, 4)}, hasta ${percent(now)}.`,
    some: 'Quite varias instancias, una tras otra.',
    buttons:
      'Si varias instancias del mismo tipo apoyan una clase, la predicción se mantiene al quitar una ' +
      'de ellas. Cambia cuando se quitan todas. Las explicaciones simples fallan en este caso.',
  },

  attention: {
    title: 'La atención no muestra la clase',
    own:
      'Muchos modelos MIL dan a cada instancia un peso, su <dfn>atención</dfn>, y suman las ' +
      'instancias ponderadas. Los pesos muestran <em>qué</em> instancias usa el modelo. No tienen ' +
      'signo ni clase, así que no muestran <em>qué clase</em> apoya una instancia.',
    figure: 'La atención, y las puntuaciones de cada clase',
    caption:
      'La primera fila es la atención del modelo; es la misma para todas las clases. Debajo hay una ' +
      'fila por clase. <plus>Hacia arriba apoya</plus>, <minus>hacia abajo refuta</minus>, una raya ' +
      'gris no destaca respecto a 0. Todas las clases tienen la misma escala.',
    digits:
      'Lea una columna de arriba abajo. Un 8 y un 9 pueden tener la misma atención, pero el 9 es la ' +
      'prueba más fuerte <em>en contra</em> de «un 8». Un mapa de calor de la atención muestra ' +
      'ambos del mismo color.',
    others: (className) =>
      `Lea una columna de arriba abajo. Una instancia que apoya «${className}» refuta otra clase, ` +
      'pero solo tiene una atención. Un mapa de calor de la atención muestra qué instancias usa el ' +
      'modelo, no qué clases apoyan.',
    none:
      'Este modelo toma el máximo sobre la bolsa y no tiene atención. Las filas de abajo solo ' +
      'necesitan predicciones, así que existen para cualquier modelo.',
    want:
      'Queremos una puntuación para cada instancia y cada clase: positiva si la instancia apoya la ' +
      'clase, negativa si la refuta. El método debe valer para cualquier modelo y usar solo ' +
      'predicciones.',
  },

  alone: {
    title: 'Una instancia cada vez',
    more: (instance) => `Las fórmulas, con los números de: ${instance}`,
    questions:
      'Hay dos métodos simples. <strong>Individual</strong> es la predicción para una bolsa que solo ' +
      'contiene esta instancia. <strong>Una menos</strong> es el cambio de la predicción cuando se ' +
      'quita esta instancia.',
    figure: (className) => `Tres métodos para «${className}»`,
    caption: (className, most) =>
      `Las puntuaciones de «${className}» con los dos métodos simples y con MILLI, que explican las ` +
      'secciones siguientes. Cada fila tiene su propia escala: la barra mayor de Una menos es ' +
      `${plain(most, 4)}. Individual se dibuja desde su media sobre la bolsa; una raya gris no ` +
      'destaca respecto al punto neutro.',
    twins: (n, group) =>
      `Esta bolsa contiene ${spelt(n)} ${group}. Si se quita uno, los demás siguen apoyando la clase ` +
      'y la predicción se mantiene. Por eso Una menos da a todos una puntuación cercana a 0.',
    noTwins:
      'En esta bolsa ninguna instancia sustituye a otra, así que Una menos funciona. Si una bolsa ' +
      'contiene dos instancias del mismo tipo, cada una sustituye a la otra, y Una menos da a ambas ' +
      'una puntuación cercana a 0.',
    blind: (noun) =>
      'Individual tiene la debilidad contraria: nunca combina instancias. Si una clase necesita dos ' +
      `instancias distintas, ningún ${noun} basta por sí solo.`,
    both:
      'Ambos métodos fallan por la misma razón: miran bolsas de una instancia, o de todas menos una, ' +
      'y nada intermedio.',
  },

  coalitions: {
    title: 'Usar coaliciones',
    groups: (k) =>
      'Una <dfn>coalición</dfn> es un subconjunto de la bolsa, dibujado abajo como una fila de ' +
      'marcas: una marca llena significa que la instancia está en la coalición. Esta bolsa tiene ' +
      `2<sup>${k}</sup> coaliciones, unos ${count(2 ** k / 1e6)} millones. Por eso sacamos algunas ` +
      'al azar y calculamos la predicción para cada una.',
    fit:
      'Después ajustamos un <dfn>modelo sustituto</dfn> (<em>surrogate</em>), un modelo aditivo ' +
      'simple: suma un número fijo por cada instancia de la coalición.',
    settle:
      'Esos números son la explicación. Pulse Reproducir y obsérvelos mientras crece el número de ' +
      'coaliciones. Con pocas coaliciones las barras son sobre todo ruido. Con muchas, solo las ' +
      'instancias que cambian la predicción conservan barras grandes.',
    of: (n, all) => `${n} de ${all}`,
    figure: (className) => `Coaliciones, la predicción de «${className}» y el modelo sustituto`,
    points: (r2) =>
      'Cada punto es una coalición. En la línea discontinua, el modelo sustituto y el modelo ' +
      `coinciden. R² = ${r2 == null ? '–' : plain(r2, 3)}.`,
    caption: (shown, fitted) =>
      `Las últimas doce de ${shown} coaliciones; lleno significa que la instancia está dentro. A la ` +
      'derecha está la predicción de cada una; arriba, el modelo sustituto ajustado a todas las ' +
      `${fitted}.`,
    note: (again) =>
      'R² es la parte de la variación de las predicciones que el modelo sustituto reproduce. El botón ' +
      `«${again}» saca otras coaliciones con otra semilla. Las barras que cambian con la semilla son ` +
      'ruido.',
    fitted: (n) => `φ ajustado a ${n}`,
    heads: ['instancias dentro', 'F(z)', 'cuáles están dentro'],
    surrogate: 'sustituto g(z)',
    model: 'modelo F(z)',
    plot: (n, r2) =>
      `La predicción frente al modelo sustituto para ${n} coaliciones. R² ${plain(r2, 2)}.`,
  },

  curve: {
    title: 'Elegir las coaliciones',
    coin: (first) =>
      'Con probabilidad un medio para cada instancia, una coalición contiene cerca de la mitad de la ' +
      'bolsa. Si deciden unas pocas instancias, casi todas esas coaliciones contienen una de ellas. ' +
      'Entonces las predicciones son todas parecidas y llevan poca información. ' +
      '<strong>MILLI</strong> ordena las instancias: la primera es la que por sí sola menos se ' +
      `parece a la clase negativa, aquí ${first}. Los primeros rangos se sacan entonces rara vez, ` +
      'de modo que una coalición contiene a menudo uno de ellos sin los demás de su tipo, y la ' +
      'predicción depende de él.',
    more: 'Las probabilidades como fórmula, y sus ajustes',
    law: 'La instancia de rango r está en una coalición con probabilidad',
    bend: (alpha, fifth) =>
      `El primer rango tiene la probabilidad α = ${plain(alpha)}, el último 1 − α. β curva lo que hay ` +
      `entre ellos: el rango 5 tiene ${plain(fifth)}.`,
    figure: 'Coaliciones, con las instancias en el orden de sus rangos',
    caption: (size, k, mean) =>
      'El primer gráfico muestra la probabilidad de cada rango; el segundo, el tamaño esperado de una ' +
      'coalición: la suma de las probabilidades (línea discontinua: la integral de la publicación). Aquí ' +
      `E|z| = ${plain(size, 1)} de ${k}; las coaliciones sacadas contienen ${plain(mean, 1)} de ` +
      'media. Las filas muestran las últimas.',
    suit: (r2) =>
      'Ningún α y β son los mejores para toda tarea. «Un 8 y un 9» necesita un par, y las coaliciones ' +
      'con ambos son raras si ambos tienen probabilidades bajas. Aumente α y mire la figura de ' +
      `arriba: el mismo número de coaliciones da otro ajuste. R² es ahora ${plain(r2, 2)}.`,
    tasks:
      'Si una instancia entre cientos decide, las coaliciones pequeñas son las mejores: la publicación ' +
      'usa α = 0,008, β = −5 para tejido. Para bolsas de dígitos usa α = 0,05, β = 0,01.',
    rank: 'rango r',
    chance: 'probabilidad π de estar dentro',
    chances: (first, last) =>
      `La probabilidad de estar en una coalición, de ${plain(first)} para la instancia más importante ` +
      `a ${plain(last)} para la menos importante.`,
    size: 'E|z|, tamaño esperado',
    sizes: (alpha, size, k, beta) =>
      `El tamaño esperado de una coalición frente a β, para α ${plain(alpha)}: ${plain(size, 1)} de ` +
      `${k} instancias con β ${plain(beta)}.`,
  },

  methods: {
    title: 'Comparar los métodos',
    all: (className) =>
      'La figura muestra los métodos de la publicación y <strong>Consenso</strong>, nuestro método y el de ' +
      `la primera figura, para «${className}». Consenso no tiene ajustes: promedia cuánto cambia una ` +
      'instancia los log-odds de la clase cuando se une a bolsas de las demás menos sospechosas.',
    more: 'En qué se diferencian los métodos de la publicación',
    differ:
      'Se diferencian en las coaliciones que evalúan y en el peso de cada una en el ajuste. SHAP da ' +
      'más peso a las coaliciones más pequeñas y más grandes; LIME, a las más parecidas a la bolsa ' +
      'entera. Los métodos «guiados» usan coaliciones en un orden fijo; los «aleatorios» las sacan.',
    heads: ['NDCG@n', 'AOPC-R', 'coaliciones'],
    figure: (className) => `Todos los métodos para «${className}»`,
    caption:
      'Elija un método para probarlo abajo. <em>NDCG@n</em> y <em>AOPC-R</em> miden lo bueno que es; ' +
      '<em>coaliciones</em> es el número de las que evalúa.',
  },

  proof: {
    title: 'Poner a prueba una explicación',
    test:
      'Las barras siempre parecen convincentes. Esta prueba no necesita etiquetas de instancias: ' +
      '<strong>quite las instancias en el orden de la explicación</strong>, la más importante ' +
      'primero. Con una buena explicación, la predicción cae enseguida. Con una mala, no cae más ' +
      'deprisa que en orden aleatorio.',
    of: (n, all) => `${n} de ${all}`,
    figure: (className) => `«${className}» mientras se quitan instancias`,
    row: (m) => `m = ${m}`,
    begin: (method) =>
      `Pulse Reproducir para quitar instancias en el orden de ${method}. La línea fina muestra toda la ` +
      'curva. Discontinua: la media de órdenes aleatorios y su desviación típica.',
    caption: (method, left, className, gone) =>
      'La línea gruesa muestra la predicción mientras se quitan instancias en el orden de ' +
      `${method}: «${className}» tiene ${percent(left)} sin ` +
      `${gone === 1 ? 'la primera' : `las primeras ${gone}`}. Discontinua: la media de órdenes ` +
      'aleatorios y su desviación típica.',
    aopc: (method, aopc) =>
      'El área entre las dos curvas es la métrica <strong>AOPC-R</strong>: la caída media en el orden ' +
      'de la explicación menos la caída media en orden aleatorio. Para ' +
      `${method} y esta clase es ${plain(aopc)}. Cero es tan bueno como el azar.`,
    known: 'Si se conocen las etiquetas de las instancias: NDCG@n',
    ndcg:
      '<strong>NDCG@n</strong> comprueba las n instancias con las puntuaciones más altas, donde n es ' +
      'el número de instancias que apoyan la clase. Los rangos más altos cuentan más.',
    places: (n) => (n === 1 ? 'El primer rango' : `Los primeros ${spelt(n)} rangos`),
    more: (n) => `y ${n} más`,
    log: 'log',
    nothing: (className) =>
      `Ninguna instancia etiquetada de esta bolsa apoya «${className}», así que NDCG@n no está ` +
      'definido.',
    wrong:
      'Una explicación puede ser fiel y aun así parecer equivocada. Entonces el modelo usa las ' +
      'instancias equivocadas. Las explicaciones se hacen para encontrar esos modelos.',
    taken: 'instancias quitadas, m',
    value: 'F(X sin las primeras m)',
    plot: (className, method, whole, left, gone, aopc) =>
      `«${className}» en el orden de ${method}: ${percent(whole)} con todas las instancias, ` +
      `${percent(left)} sin las primeras ${gone}. AOPC-R ${plain(aopc)}.`,
  },

  together: {
    title: 'Mirar pares y conjuntos',
    one:
      'Un número por instancia no puede decir que dos de ellas se necesitan <em>juntas</em>, ni que ' +
      'basta con una de dos. Una <dfn>pregunta hipotética</dfn> sí: cambie la bolsa y calcule otra ' +
      'vez la predicción.',
    pair:
      'La <dfn>interacción</dfn> de dos instancias i y j es lo que ambas juntas aportan a una ' +
      'coalición S, menos lo que aporta cada una sola.',
    signs:
      'Tomamos la media sobre muchas coaliciones aleatorias, en log-odds. Por encima de 0, las dos ' +
      'instancias <strong>se completan</strong>: juntas aportan más. Por debajo de 0, <strong>se ' +
      'sustituyen</strong>: la segunda aporta poco.',
    figure: (className) => `Instancias que actúan juntas sobre «${className}»`,
    tile: (instance, out, next) =>
      out
        ? `${instance}, quitado`
        : instance +
          (next === undefined ? '' : `, la predicción sin esta instancia es ${percent(next)}`),
    now: (className, p) => `Predicción de «${className}»: ${percent(p)}`,
    times: (n) => (n > 1 ? `× ${n}` : ''),
    completes: 'se completan',
    standsIn: 'se sustituyen',
    interaction: (x, stderr) =>
      stderr > 0 ? `${signed(x, 1)} ± ${plain(stderr, 1)}` : signed(x, 1),
    caption: (className) =>
      `Los pares más fuertes de toda la bolsa para «${className}». Las instancias que actúan igual ` +
      'están una al lado de otra y figuran como una. El número bajo una instancia es la predicción ' +
      'si se quita a continuación. Una línea continua une instancias que se completan; una ' +
      'discontinua, las que se sustituyen. Las interacciones están en log-odds, con errores típicos.',
    noPairs: (className) =>
      `No hay dos instancias de esta bolsa que actúen juntas sobre «${className}» más de lo que ` +
      'explica el azar.',
    replace: (n, group, className, p) =>
      `En esta bolsa, ${spelt(n)} ${group} se sustituyen. Quite uno de ellos: el modelo sigue ` +
      `prediciendo «${className}», así que este parece no importar. ` +
      (n === 2
        ? 'Pero mire el número bajo el otro: ahora decide solo. '
        : 'Quite los demás hasta que quede uno y mire su número: decide solo. ') +
      `Sin ${n === 2 ? 'los dos' : 'ninguno de ellos'}, la predicción es ${percent(p)}.`,
    sets:
      'Los conjuntos de instancias responden a dos preguntas más. Un conjunto es ' +
      '<dfn>suficiente</dfn> si el modelo predice la clase solo con esas instancias. Un conjunto es ' +
      '<dfn>necesario</dfn> si el modelo no predice la clase sin él.',
    sufficient: (className) =>
      `Suficientes para «${className}»: la predicción de cada conjunto solo`,
    necessary: (className) => `Necesarios para «${className}»: la predicción sin cada conjunto`,
    noSufficient: 'Ninguna instancia de esta bolsa da esta predicción.',
    noNecessary:
      'No hay ninguno: la bolsa no se predice como de esta clase, o lo son todas sus partes.',
    setCaption:
      'Los conjuntos más pequeños, hasta tres de cada tipo que no comparten ninguna instancia. Ningún ' +
      'conjunto menor decide: se evaluaron todos.',
    more:
      'El <look>explorador</look> encuentra pares y conjuntos en sus propias bolsas, y los mínimos ' +
      'cambios que invierten una predicción, en «¿Y si…?».',
  },

  slide: {
    title: 'De una preparación a un mapa',
    cut:
      'El escaneo de una preparación de tejido tiene hasta 100 000 píxeles por lado. Ninguna red lo ' +
      'toma entero, así que se corta en <dfn>recortes</dfn> (<em>patches</em>), y los recortes sobre ' +
      'tejido forman la bolsa. Dos números definen un recorte: su <strong>tamaño en ' +
      'píxeles</strong> y las <strong>micras por píxel</strong>. Un recorte de 27 píxeles a 1 micra ' +
      'cubre 27 micras de tejido, unos cuatro núcleos de ancho.',
    question:
      'La red de abajo aprendió de bolsas con una etiqueta cada una: «muchos núcleos» si al menos un ' +
      'recorte está repleto de núcleos. Ningún recorte tenía etiqueta. Se entrenó con la parte ' +
      'superior de la preparación, y sus ajustes se eligieron en la parte siguiente. Nunca vio el ' +
      'cuarto inferior.',
    load: 'Abrir aquí la preparación (2,7 MB)',
    again: 'Intentar de nuevo',
    loading: 'Se está cargando la preparación.',
    failed: (why) => `No se pudo abrir la preparación: ${why}`,
    undrawn: (why) => `No se pudo dibujar la preparación: ${why}.`,
    source:
      'La página se vuelve a cargar con la preparación y la red. La preparación es ' +
      'CMU-1-Small-Region.svs de la Universidad Carnegie Mellon, datos de prueba de OpenSlide (CC0).',
    layer: 'Sobre la preparación',
    layers: { slide: 'Nada', map: 'El mapa', truth: 'La verdad', top: 'Los primeros n' },
    scale: 'Micras por píxel',
    microns: (m) => `${plain(m)} µm`,
    rank: 'Recorte de rango',
    of: (n, all) => `${n} de ${all}`,
    picture: (layer) =>
      ({
        slide: 'La preparación: una banda de epitelio púrpura en tejido conjuntivo rosa',
        map: 'La preparación bajo el mapa: están coloreados los recortes que apoyan «muchos núcleos»',
        truth:
          'La preparación bajo la verdad: los recortes tienen más color cuanto más los cubren los núcleos',
        top: 'Los n recortes con las puntuaciones más altas: hallados, erróneos y omitidos',
      })[layer],
    patch: 'El recorte tal como lo toma la red',
    chosen: (rank, share, many) =>
      `Rango ${rank}. Los núcleos cubren ${percent(share)} de este recorte: ${many ? 'muchos' : 'pocos'}.`,
    laying: 'Se están colocando recortes sobre el tejido.',
    encoding: (done, total) => `${done} de ${total} recortes están codificados.`,
    judged: ({ order, n, found, ndcg, random }) =>
      `${n} de ${order.length} recortes tienen muchos núcleos. De los ${n} con las puntuaciones más ` +
      `altas, los tienen ${found}. NDCG@${n} es ${plain(ndcg, 2)}; un mapa aleatorio tiene ` +
      `${plain(random, 2)}.`,
    about: {
      slide: 'La preparación, tal como la guardó su escáner.',
      map: 'En color: recortes que apoyan «muchos núcleos», según Consenso. Más intenso es más.',
      truth: 'En color: la parte de cada recorte que cubren los núcleos, medida en los píxeles.',
      top:
        'Los cuadrados llenos están hallados: entre los primeros n del mapa, con muchos núcleos. Las ' +
        'cruces son errores: entre los primeros n, con pocos. Los cuadrados vacíos se omitieron.',
    },
    judging:
      'Un mapa parece convincente enseguida. Para juzgarlo hace falta una verdad que la red no ' +
      'recibió. Aquí está en los píxeles: la hematoxilina tiñe los núcleos, así que un programa puede ' +
      'encontrarlos y medir qué parte de un recorte cubren. Los recortes con al menos un 15 % cuentan ' +
      'como repletos. <strong>NDCG@n</strong> compara con ellos los primeros n recortes del mapa, ' +
      'como arriba. Un mapa aleatorio alcanza, de media, la proporción de recortes repletos. Compare ' +
      'un mapa con ese número, no con cero.',
    scales:
      'Cambie ahora las micras por píxel. La red toma 27 por 27 píxeles en cualquier escala, así que ' +
      'nada falla. Pero aprendió núcleos de unos 8 píxeles. A 2 micras tienen 4, a 0,5 tienen 16, y el ' +
      'mapa puede seguir otra cosa. Por eso una ficha de modelo indica las micras, y por eso bagscope ' +
      'las lee.',
    own:
      'La parte de la preparación en la que aprendió la red también está en el mapa. Juzgue una red ' +
      'solo donde no ha aprendido: NDCG@n del cuarto inferior solo está en el archivo ' +
      '`examples/slide/README.md`. <scan>Abra esta preparación con todas las herramientas</scan>, o la ' +
      'suya.',
  },

  series: {
    title: '¿Qué cortes?',
    bag:
      'Una serie de TC también es una bolsa: sus <dfn>cortes</dfn> son las instancias, y el informe ' +
      'dice una cosa de todos ellos. La red de abajo recibió tórax dibujados, y primero partes de 8 ' +
      'cortes de ellos, con una etiqueta cada uno: «un nódulo» o «sin nódulo». Ningún corte tenía ' +
      'etiqueta.',
    question:
      'Responda primero usted: <strong>¿qué cortes muestran el nódulo</strong>, una bola clara de 6 ' +
      'píxeles en el pulmón oscuro? Los vasos también son claros, pero continúan de corte en corte. ' +
      'Después compare su respuesta con el mapa y la verdad.',
    load: 'Abrir aquí la serie (190 kB)',
    again: 'Intentar de nuevo',
    loading: 'Se está cargando la serie.',
    failed: (why) => `No se pudo abrir la serie: ${why}`,
    undrawn: (why) => `No se pudo dibujar el corte: ${why}.`,
    source: 'La página se vuelve a cargar con la serie y la red. Ninguna imagen es de un paciente.',
    slice: 'Corte',
    of: (n, all) => `${n} de ${all}`,
    guess: 'Veo el nódulo aquí',
    answer: 'Mostrar el mapa y la verdad',
    hide: 'Ocultarlos',
    picture: (n) => `Corte ${n}: una sección de un tórax, vista desde los pies`,
    rows: { yours: 'Su respuesta', map: 'El mapa', truth: 'La verdad' },
    ends: { first: 'pies', last: 'cabeza' },
    marks: (row, those) =>
      `${row}: ${those.length ? `cortes ${those.join(', ')}` : 'ningún corte'}`,
    chart: (n, all) => `Puntuaciones de ${all} cortes, de los que destacan ${n}`,
    predicted: (p) => `El modelo predice un nódulo (${percent(p)}).`,
    judged: (marked, right, all) =>
      `${count(marked)} cortes lo apoyan, y ${right === marked ? 'todos' : count(right)} muestran el ` +
      `nódulo, que está en ${count(all)}.`,
    yours: (n, right) =>
      `Ha marcado ${count(n)}; ${count(right)} de ellos lo ${right === 1 ? 'muestra' : 'muestran'}.`,
    about: (answered) =>
      answered
        ? 'Las barras hacia arriba apoyan «un nódulo», según Consenso; una raya no destaca.'
        : 'Recorra los cortes con el control deslizante o las flechas.',
    judging:
      'Al mapa le faltan los dos cortes de los extremos del nódulo, donde solo es un borde. No es un ' +
      'fallo del mapa: a la red le basta un corte con el nódulo, y no reconoce el borde. Un mapa dice ' +
      '<em>qué usó el modelo</em>, no dónde termina la enfermedad. No mida una lesión con él.',
    teacher: {
      title: 'Notas para el docente',
      steps: [
        'Diez minutos, en parejas. Que cada pareja marque cortes antes de que nadie muestre el mapa.',
        'Pregunte por qué basta uno cualquiera de los cinco cortes, y qué cambia al quitar uno. No ' +
          'cambia nada: los demás sostienen la predicción.',
        'Pregunte cómo sería el mapa de un tórax sin nódulo. Entonces no destaca ningún corte: no hay ' +
          'nada que apoyar.',
        'La verdad está en `examples/series/truth.json`, y `make.py`, a su lado, dibuja otras series. ' +
          'La red acierta en el 98,5 % de 200 que nunca vio.',
      ],
    },
    own:
      '<chest>Abra esta serie con todas las herramientas</chest>: quite cortes y busque los mínimos ' +
      'que invierten la predicción. Allí se abre también su propia serie DICOM o NIfTI.',
  },

  compose: {
    title: 'Componer una bolsa',
    text:
      'Ponga dígitos en una bolsa, o dibuje algunos. <strong>Diga primero</strong> qué responderá la ' +
      'red y qué dígitos sostendrán la respuesta. Después busque una bolsa que lea mal.',
    tray: (most) => `Dígitos para poner en la bolsa, como máximo ${most}`,
    add: (label) => `Añadir un ${label}`,
    pad: 'Panel para dibujar un dígito; los dígitos de al lado no necesitan puntero',
    put: 'Añadir el dibujo',
    wipe: 'Borrar',
    bag: (k) => (k === 1 ? 'Su bolsa: 1 dígito' : `Su bolsa: ${k} dígitos`),
    empty: 'Vaciar la bolsa',
    save: 'Guardar para Look',
    hint: 'Haga clic en dígitos para ponerlos. Un clic en uno de la bolsa lo saca.',
    remove: (i, label, score, sign) =>
      `Sacar el dígito ${number(i)}, ${label === null ? 'dibujado' : `un ${label}`}` +
      (score && `; ${sign === 0 ? 'no destaca' : `${sign > 0 ? 'apoya' : 'refuta'}, ${score}`}`),
    says: 'Lo que dice la red',
    caption:
      'Hacia arriba apoya lo que dice la red, hacia abajo lo refuta; un dígito sin barra no destaca. ' +
      'Un dibujo se centra y tiene 28 píxeles de ancho, como los dígitos de su entrenamiento, en ' +
      'cuatro grises. La dirección de esta página conserva la bolsa.',
  },

  own: {
    title: 'Use su propio modelo y sus datos',
    here:
      'Los métodos de esta página solo evalúan coaliciones, así que valen para cualquier modelo MIL. ' +
      'Mire <mean>una red que promedia sobre estos dígitos</mean> o <graph>una red de grafos de ' +
      'ellos</graph>, o <look>abra su propio modelo y su bolsa</look>. Su navegador los lee y los ' +
      'calcula, y nada sale de este equipo. También puede <embed>poner una bolsa explicada en su ' +
      'propia página</embed>, como una lección, un manual o el suplemento de una publicación.',
    sources: 'Fuentes',
    papers:
      'Los métodos, la curva de muestreo y las pruebas son de Joseph Early, Christine Evers y Sarvapali ' +
      'Ramchurn, <cite>Model Agnostic Interpretability for Multiple Instance Learning</cite>, ICLR ' +
      '2022. Las bolsas de dígitos siguen sus 4-MNIST-Bags. Nuestro generador dibuja los dígitos y los ' +
      'vectores. Los valores de Shapley como regresión ponderada son de Lundberg y Lee (2017); el ' +
      'modelo sustituto alrededor de una entrada, de Ribeiro, Singh y Guestrin (2016); la agregación ' +
      'por atención, de Ilse, Tomczak y Welling (2018); y AOPC, de Samek y otros (2017).',
    limits:
      'Una explicación muestra lo que hace este modelo, no lo que es verdad. No es un producto ' +
      'sanitario. bagscope es software libre bajo la licencia Apache 2.0.',
    licences: 'Licencias de lo que contiene',
  },

  room: {
    label: 'En el aula',
    show: 'Mostrar las puntuaciones',
    hide: 'Ocultar las puntuaciones',
    before: 'Figura anterior',
    next: 'Figura siguiente',
    place: (n, of) => `${n} de ${of}`,
  },
};
