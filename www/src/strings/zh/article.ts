// Marks as in the English article.
import { count, number, percent, plain, signed } from '../../lib/format.ts';
import type { Strings } from '../index.ts';

export const article: Strings['article'] = {
  skip: '跳到文章',

  hero: {
    title: '看看包里有什么',
    lead:
      '有些模型对一整包（<em>bag</em>）示例只预测一个标签。是<em>哪些</em>示例导致了这个预测？每个示例' +
      '支持或反对<em>哪个类别</em>？改变下面的包，自己找出答案。',
    figure: '包与预测',
    trust: '这有多可靠？',
    measuring: '正在测量这些得分的可信度……',
    own: '有自己的模型吗？<look>把它和一个包一起打开</look>；两者都留在您的设备上。',
    bag: (k, nouns, out) => `${k} 个${nouns}，${out === 0 ? '全部在包里' : `已移除 ${out} 个`}`,
    signs: (className) => `<plus>向上：支持</plus>“${className}”。<minus>向下：反对</minus>。`,
    click: (noun) => `点击一个${noun}即可移除它。`,
    predicts: (className) => `模型预测“${className}”`,
    digit: (k, predicted, p, tallest) =>
      `上面的包里有 ${k} 个数字。训练时，每个包模型只得到一个标签：它含有 8、含有 9、两者都有，还是都没有。` +
      `它从未得到单个数字的标签。对这个包，它预测“${predicted}”，概率为 ${percent(p)}。数字下方的条形是事后` +
      `由对包的各部分的预测算出的。它们是对数几率的变化；最高的为 ${plain(tallest, 2)}。`,
    patch: (k, predicted, p) =>
      `上面的包里有一张玻片的 ${k} 个图块。训练时，每张玻片模型只得到一个标签：是否含有腺体。它从未得到单个` +
      `图块的标签。对这张玻片，它预测“${predicted}”，概率为 ${percent(p)}。图块下方的条形是事后由对玻片各部分` +
      '的预测算出的。',
    moment: (k, predicted, p) =>
      `上面的包里有一台机器一天中的 ${k} 次测量。每次测量是一个温度和一个振动值，画成一个点。训练时，每天模型` +
      `只得到一个标签。对这一天，它预测“${predicted}”，概率为 ${percent(p)}。条形是事后由对这一天各部分的预测` +
      '算出的。',
    mil:
      '这就是<dfn>多示例学习</dfn>（MIL）。组织玻片（一包图块，一个诊断）、照片（一包区域）和分子（一包形状）' +
      '都以同样的方式读取。包的标签很便宜，但它们不显示哪些示例重要。',
    temperature: '温度',
    vibration: '振动',
  },

  bar: '包',

  removing: {
    title: '移除一个示例',
    write: (className) =>
      `设 X 为包，F(X) 为模型的预测，每个类别一个数。对类别“${className}”，它是`,
    argument: (noun) =>
      '如果一个示例重要，没有它时预测就会改变。MIL 模型接受任意大小的包，所以可以直接去掉一个示例。点击任意' +
      `一个${noun}，看看新的预测。`,
    steps: (className) => `每次移除后的“${className}”`,
    left: (className) => `对其余示例的“${className}”的预测。`,
    last: (change, now) => `最后一次移除使它变化 ${signed(change, 4)}，变为 ${percent(now)}。`,
    some: '依次移除几个示例。',
    buttons:
      '如果几个同类示例支持一个类别，移除其中一个时预测不变。全部移除时，预测才会改变。简单的解释在这种情况下' +
      '会失败。',
  },

  attention: {
    title: '注意力不显示类别',
    own:
      '许多 MIL 模型给每个示例一个权重，即它的<dfn>注意力</dfn>，然后把加权的示例相加。权重显示模型使用' +
      '<em>哪些</em>示例。它们没有正负号，也没有类别，所以不显示示例支持<em>哪个类别</em>。',
    figure: '注意力，以及各类别的得分',
    caption:
      '第一行是模型的注意力；它对每个类别都相同。下面每个类别一行。<plus>向上表示支持</plus>，<minus>向下表示' +
      '反对</minus>，灰色短线与 0 无显著差别。所有类别用同一个标度。',
    digits:
      '从上到下读一列。一个 8 和一个 9 可以有相同的注意力，但 9 是<em>反对</em>“有 8”的最强证据。注意力热图' +
      '把两者显示成同一种颜色。',
    others: (className) =>
      `从上到下读一列。支持“${className}”的示例反对另一个类别，但它只有一个注意力。注意力热图显示模型使用哪些` +
      '示例，而不显示它们支持哪些类别。',
    none: '此模型对包取最大值，没有注意力。下面各行只需要预测，所以对任何模型都存在。',
    want:
      '我们想要每个示例对每个类别的一个得分：示例支持该类别时为正，反对时为负。方法必须适用于任何模型，并且只' +
      '使用预测。',
  },

  alone: {
    title: '一次一个示例',
    more: (instance) => `公式，用${instance}的数值`,
    questions:
      '有两种简单的方法。<strong>单个示例</strong>是对只含此示例的包的预测。<strong>移除一个</strong>是移除此' +
      '示例时预测的变化。',
    figure: (className) => `对“${className}”的三种方法`,
    caption: (className, most) =>
      `两种简单方法和 MILLI 对“${className}”的得分，后面几节会解释 MILLI。每行有自己的标度：“移除一个”的最大条形` +
      `为 ${plain(most, 4)}。“单个示例”从它在包上的均值画起；灰色短线与中性点无显著差别。`,
    twins: (n, group) =>
      `这个包里有 ${n} 个${group}。移除一个时，其他的仍支持该类别，预测不变。所以“移除一个”给它们的得分都接近 0。`,
    noTwins:
      '在这个包里，没有示例能替代另一个，所以“移除一个”有效。如果包里有两个同类示例，它们互相替代，“移除一个”给' +
      '两者的得分都接近 0。',
    blind: (noun) =>
      `“单个示例”的弱点正好相反：它从不组合示例。如果一个类别需要两个不同的示例，任何单个${noun}都不够。`,
    both: '两种方法失败的原因相同：它们只看只有一个示例的包，或只少一个示例的包，不看两者之间的情况。',
  },

  coalitions: {
    title: '使用联盟',
    groups: (k) =>
      '<dfn>联盟</dfn>是包的一个子集，下面画成一行标记：实心标记表示示例在联盟中。这个包有 ' +
      `2<sup>${k}</sup> 个联盟，约 ${count(2 ** k / 1e6)} 百万个。所以我们随机抽取一些，并计算每个的预测。`,
    fit:
      '然后我们拟合一个<dfn>代理模型</dfn>（<em>surrogate</em>），即一个简单的加法模型：它为联盟中的每个示例加上' +
      '一个固定的数。',
    settle:
      '这些数就是解释。按“播放”，观察联盟数增加时它们如何变化。联盟少时，条形主要是噪声。联盟多时，只有能改变' +
      '预测的示例保留大的条形。',
    of: (n, all) => `${all} 中的 ${n}`,
    figure: (className) => `联盟、“${className}”的预测和代理模型`,
    points: (r2) =>
      `每个点是一个联盟。在虚线上，代理模型与模型一致。R² = ${r2 == null ? '–' : plain(r2, 3)}。`,
    caption: (shown, fitted) =>
      `${shown} 个联盟中的最后十二个；实心表示示例在其中。右边是每个联盟的预测，上面是对全部 ${fitted} 个拟合的` +
      '代理模型。',
    note: (again) =>
      `R² 是代理模型再现的预测变化的比例。按钮“${again}”用另一个随机种子抽取其他联盟。随种子变化的条形是噪声。`,
    fitted: (n) => `对 ${n} 个拟合的 φ`,
    heads: ['其中的示例数', 'F(z)', '哪些在其中'],
    surrogate: '代理模型 g(z)',
    model: '模型 F(z)',
    plot: (n, r2) => `${n} 个联盟的预测与代理模型。R² ${plain(r2, 2)}。`,
  },

  curve: {
    title: '选择联盟',
    coin: (first) =>
      '如果每个示例以一半的概率入选，联盟约含包的一半。如果少数示例起决定作用，几乎每个这样的联盟都含有其中一个。' +
      '这样，预测都很相似，信息很少。<strong>MILLI</strong> 给示例排名：第一名是单独时最不像负类的示例，这里是' +
      `${first}。前几名很少被抽取，所以联盟常常含有其中一个而没有同类的其他示例，预测就取决于它。`,
    more: '概率的公式及其设置',
    law: '名次为 r 的示例在联盟中的概率为',
    bend: (alpha, fifth) =>
      `第一名的概率为 α = ${plain(alpha)}，最后一名为 1 − α。β 使两者之间的曲线弯曲：第 5 名为 ${plain(fifth)}。`,
    figure: '联盟，示例按名次排列',
    caption: (size, k, mean) =>
      '第一幅图显示每个名次的概率，第二幅显示联盟的期望大小：概率之和（虚线：论文中的积分）。这里 E|z| = ' +
      `${plain(size, 1)}（共 ${k} 个）；抽取的联盟平均含 ${plain(mean, 1)} 个。各行显示其中最后几个。`,
    suit: (r2) =>
      '没有对所有任务都最好的 α 和 β。“有 8 也有 9”需要一对示例；如果两者的概率都低，同时含有两者的联盟就很少。' +
      `增大 α，看上面的图：同样数目的联盟给出不同的拟合。R² 现在为 ${plain(r2, 2)}。`,
    tasks:
      '如果数百个示例中只有一个起决定作用，小联盟最好：论文对组织用 α = 0.008，β = −5；对数字的包用 α = 0.05，' +
      'β = 0.01。',
    rank: '名次 r',
    chance: '入选概率 π',
    chances: (first, last) =>
      `在联盟中的概率，从最重要的示例的 ${plain(first)} 到最不重要的示例的 ${plain(last)}。`,
    size: 'E|z|，期望大小',
    sizes: (alpha, size, k, beta) =>
      `联盟的期望大小随 β 的变化，α 为 ${plain(alpha)}：β 为 ${plain(beta)} 时，${k} 个示例中有 ${plain(size, 1)} 个。`,
  },

  methods: {
    title: '比较各种方法',
    all: (className) =>
      `图中显示论文的各种方法和<strong>共识</strong>对“${className}”的结果；共识是我们的方法，也是第一幅图的方法。` +
      '共识没有设置：它对一个示例加入由其他较不可疑的示例组成的包时类别对数几率的变化取平均。',
    more: '论文中的方法有何不同',
    differ:
      '它们的不同在于评估哪些联盟，以及每个联盟在拟合中的权重。SHAP 给最小和最大的联盟最大的权重，LIME 给最像' +
      '整个包的联盟最大的权重。“引导”方法按固定顺序使用联盟，“随机”方法抽取联盟。',
    heads: ['NDCG@n', 'AOPC-R', '联盟数'],
    figure: (className) => `对“${className}”的所有方法`,
    caption:
      '选择一种方法，在下面检验它。<em>NDCG@n</em> 和 <em>AOPC-R</em> 衡量它有多好；<em>联盟数</em>是它评估的联盟的' +
      '数目。',
  },

  proof: {
    title: '检验一个解释',
    test:
      '条形看起来总是令人信服。这个检验不需要示例的标签：<strong>按解释的顺序移除示例</strong>，最重要的先移除。' +
      '如果解释好，预测会立即下降。如果解释差，它的下降不比随机顺序快。',
    of: (n, all) => `${all} 中的 ${n}`,
    figure: (className) => `移除示例时的“${className}”`,
    row: (m) => `m = ${m}`,
    begin: (method) =>
      `按“播放”，按${method}的顺序移除示例。细线显示整条曲线。虚线：随机顺序的均值及其标准差。`,
    caption: (method, left, className, gone) =>
      `粗线显示按${method}的顺序移除示例时的预测：去掉前 ${gone} 个后，“${className}”为 ${percent(left)}。虚线：` +
      '随机顺序的均值及其标准差。',
    aopc: (method, aopc) =>
      '两条曲线之间的面积是指标 <strong>AOPC-R</strong>：按解释顺序的平均下降减去随机顺序的平均下降。对' +
      `${method}和此类别，它为 ${plain(aopc)}。零表示与随机一样。`,
    known: '如果示例的标签已知：NDCG@n',
    ndcg: '<strong>NDCG@n</strong> 检查得分最高的 n 个示例，其中 n 是支持该类别的示例数。名次越靠前，权重越大。',
    places: (n) => `前 ${n} 名`,
    more: (n) => `以及另外 ${n} 个`,
    log: 'log',
    nothing: (className) => `这个包中没有带标签的示例支持“${className}”，所以 NDCG@n 没有定义。`,
    wrong:
      '解释可以是忠实的，却看起来是错的。那么是模型使用了错误的示例。解释就是为了找出这样的模型。',
    taken: '移除的示例数 m',
    value: 'F(X 去掉前 m 个)',
    plot: (className, method, whole, left, gone, aopc) =>
      `按${method}的顺序的“${className}”：全部示例时为 ${percent(whole)}，去掉前 ${gone} 个后为 ${percent(left)}。` +
      `AOPC-R ${plain(aopc)}。`,
  },

  together: {
    title: '查看成对和成组的示例',
    one:
      '每个示例一个数，不能说明两个示例<em>一起</em>才够，也不能说明两个中任意一个就够。<dfn>假设问题</dfn>可以：' +
      '改变包，再计算预测。',
    pair: '两个示例 i 和 j 的<dfn>交互作用</dfn>是两者一起对联盟 S 的贡献，减去各自单独的贡献。',
    signs:
      '我们对许多随机联盟取平均，以对数几率计。大于 0 时，两个示例<strong>互相补充</strong>：在一起贡献更多。' +
      '小于 0 时，它们<strong>互相替代</strong>：第二个贡献很少。',
    figure: (className) => `共同影响“${className}”的示例`,
    tile: (instance, out, next) =>
      out
        ? `${instance}，已移除`
        : instance + (next === undefined ? '' : `，去掉它后的预测为 ${percent(next)}`),
    now: (className, p) => `“${className}”的预测：${percent(p)}`,
    times: (n) => (n > 1 ? `× ${n}` : ''),
    completes: '互相补充',
    standsIn: '互相替代',
    interaction: (x, stderr) =>
      stderr > 0 ? `${signed(x, 1)} ± ${plain(stderr, 1)}` : signed(x, 1),
    caption: (className) =>
      `整个包对“${className}”最强的几对。作用相同的示例并排放置，并列为一个。示例下面的数是接下来移除它时的预测。` +
      '实线连接互相补充的示例，虚线连接互相替代的示例。交互作用以对数几率计，附标准误。',
    noPairs: (className) => `这个包里没有两个示例对“${className}”的共同作用超过偶然。`,
    replace: (n, group, className, p) =>
      `在这个包里，${n} 个${group}互相替代。移除其中一个：模型仍预测“${className}”，所以它似乎不重要。` +
      (n === 2
        ? '但看看另一个下面的数：现在它独自决定。'
        : '移除其他的，直到只剩一个，看看它的数：它独自决定。') +
      `去掉全部 ${n} 个后，预测为 ${percent(p)}。`,
    sets:
      '示例的集合还能回答两个问题。如果模型仅凭这些示例就预测该类别，这个集合就是<dfn>充分的</dfn>。如果没有它' +
      '模型就不预测该类别，这个集合就是<dfn>必要的</dfn>。',
    sufficient: (className) => `对“${className}”充分：每个集合单独的预测`,
    necessary: (className) => `对“${className}”必要：去掉每个集合后的预测`,
    noSufficient: '这个包中没有示例能给出此预测。',
    noNecessary: '没有：包没有被预测为此类别，或它的每个部分都被预测为此类别。',
    setCaption:
      '最小的集合，每种至多三个，且没有共同的示例。没有更小的集合起决定作用：它们全部评估过。',
    more: '<look>浏览工具</look>能在您自己的包中找出成对和成组的示例，以及使预测反转的最少改动，见“如果……会怎样？”。',
  },

  slide: {
    title: '从玻片到图',
    cut:
      '组织玻片的扫描图每边可达 100 000 像素。没有网络能整张读入，所以它被切成<dfn>图块</dfn>' +
      '（<em>patches</em>），组织上的图块就成为包。两个数确定一个图块：它的<strong>像素大小</strong>和<strong>每像素' +
      '微米数</strong>。每像素 1 微米时，27 像素的图块覆盖 27 微米的组织，约四个细胞核宽。',
    question:
      '下面的网络从每包一个标签的包中学习：如果至少一个图块挤满细胞核，则为“细胞核多”。没有图块有标签。它在玻片的' +
      '上部训练，设置在其下的部分选定。它从未见过最下面的四分之一。',
    load: '在此打开玻片（2.7 MB）',
    again: '再试一次',
    loading: '正在获取玻片。',
    failed: (why) => `无法打开玻片：${why}`,
    undrawn: (why) => `无法绘制玻片：${why}。`,
    source:
      '页面会带着玻片和网络重新加载。玻片是卡内基梅隆大学的 CMU-1-Small-Region.svs，OpenSlide 的测试数据' +
      '（CC0）。',
    layer: '叠加在玻片上',
    layers: { slide: '无', map: '图', truth: '真值', top: '前 n 个' },
    scale: '每像素微米数',
    microns: (m) => `${plain(m)} µm`,
    rank: '此名次的图块',
    of: (n, all) => `${all} 中的 ${n}`,
    picture: (layer) =>
      ({
        slide: '玻片：粉色结缔组织中的一条紫色上皮',
        map: '图下的玻片：支持“细胞核多”的图块着色',
        truth: '真值下的玻片：细胞核覆盖越多，图块颜色越深',
        top: '得分最高的 n 个图块：找到的、错误的和遗漏的',
      })[layer],
    patch: '网络读入的图块',
    chosen: (rank, share, many) =>
      `第 ${rank} 名。细胞核覆盖此图块的 ${percent(share)}：${many ? '多' : '少'}。`,
    laying: '正在组织上放置图块。',
    encoding: (done, total) => `${total} 个图块中已编码 ${done} 个。`,
    judged: ({ order, n, found, ndcg, random }) =>
      `${order.length} 个图块中有 ${n} 个细胞核多。得分最高的 ${n} 个中有 ${found} 个如此。NDCG@${n} 为 ` +
      `${plain(ndcg, 2)}；随机的图为 ${plain(random, 2)}。`,
    about: {
      slide: '扫描仪保存的玻片。',
      map: '着色：按共识支持“细胞核多”的图块。颜色越深，支持越强。',
      truth: '着色：每个图块被细胞核覆盖的部分，由像素测得。',
      top: '实心方块是找到的：在图的前 n 个中，细胞核多。叉是错误的：在前 n 个中，细胞核少。空心方块是遗漏的。',
    },
    judging:
      '一张图很容易令人信服。要评判它，需要网络没有得到的真值。这里真值就在像素中：苏木精使细胞核着色，所以程序能' +
      '找到它们，并测量它们覆盖图块的多少。至少覆盖 15 % 的图块算作拥挤。<strong>NDCG@n</strong> 把图的前 n 个图块与' +
      '它们比较，如上文所述。随机的图平均达到拥挤图块所占的比例。请把图与这个数比较，而不是与零比较。',
    scales:
      '现在改变每像素微米数。网络在任何尺度都读入 27 × 27 像素，所以不会出错。但它学到的细胞核约为 8 像素。每像素 ' +
      '2 微米时它们有 4 像素，0.5 微米时有 16 像素，图可能跟随别的东西。因此模型卡注明微米数，bagscope 也会读取它。',
    own:
      '网络学习所用的那部分玻片也在图上。请只在网络没有学习过的地方评判它：仅最下面四分之一的 NDCG@n 在文件 ' +
      '`examples/slide/README.md` 中。<scan>用所有工具打开这张玻片</scan>，或打开您自己的。',
  },

  series: {
    title: '哪些切片？',
    bag:
      'CT 序列也是一个包：它的<dfn>切片</dfn>是示例，报告对所有切片只说一件事。下面的网络得到的是绘制的胸部，起初是' +
      '其中 8 个切片的部分，每个只有一个标签：“有结节”或“无结节”。没有切片有标签。',
    question:
      '请先自己回答：<strong>哪些切片显示结节</strong>，即暗色肺部中直径 6 像素的亮球？血管也是亮的，但它们逐片延续。' +
      '然后把您的答案与图和真值比较。',
    load: '在此打开序列（190 kB）',
    again: '再试一次',
    loading: '正在获取序列。',
    failed: (why) => `无法打开序列：${why}`,
    undrawn: (why) => `无法绘制切片：${why}。`,
    source: '页面会带着序列和网络重新加载。没有任何图片来自病人。',
    slice: '切片',
    of: (n, all) => `${all} 中的 ${n}`,
    guess: '我在这里看到结节',
    answer: '显示图和真值',
    hide: '隐藏它们',
    picture: (n) => `切片 ${n}：从脚的方向看的胸部截面`,
    rows: { yours: '您的答案', map: '图', truth: '真值' },
    ends: { first: '脚', last: '头' },
    marks: (row, those) => `${row}：${those.length ? `切片 ${those.join('、')}` : '没有切片'}`,
    chart: (n, all) => `${all} 个切片的得分，其中 ${n} 个显著`,
    predicted: (p) => `模型预测有结节（${percent(p)}）。`,
    judged: (marked, right, all) =>
      `${count(marked)} 个切片支持它，其中${right === marked ? '全部' : ` ${count(right)} 个`}显示结节，结节在 ` +
      `${count(all)} 个切片中。`,
    yours: (n, right) => `您标记了 ${count(n)} 个；其中 ${count(right)} 个显示结节。`,
    about: (answered) =>
      answered ? '按共识，向上的条形支持“有结节”；短线不显著。' : '用滑块或方向键浏览切片。',
    judging:
      '图漏掉了结节两端的两个切片，在那里结节只是一个边缘。这不是图的错：对网络来说，一个含结节的切片就够了，而它不' +
      '认得边缘。图说明的是<em>模型使用了什么</em>，而不是疾病到哪里为止。不要用它测量病灶。',
    teacher: {
      title: '教师备注',
      steps: [
        '十分钟，两人一组。让每组在有人显示图之前先标记切片。',
        '问：为什么五个切片中任意一个单独就够？移除其中一个会改变什么？什么也不改变：其他切片支撑着预测。',
        '问：没有结节的胸部的图会是什么样？那时没有切片显著：没有什么可以支持。',
        '真值在 `examples/series/truth.json` 中，旁边的 `make.py` 可绘制其他序列。对从未见过的 200 个序列，网络的' +
          '正确率为 98.5 %。',
      ],
    },
    own:
      '<chest>用所有工具打开这个序列</chest>：移除切片，找出使预测反转的最少切片。您自己的 DICOM 或 NIfTI 序列也可以' +
      '在那里打开。',
  },

  compose: {
    title: '组成一个包',
    text: '把数字放进包里，或者画几个。<strong>先说出</strong>网络会怎样回答，哪些数字支撑答案。然后找一个它读错的包。',
    tray: (most) => `可放进包里的数字，至多 ${most} 个`,
    add: (label) => `加入一个 ${label}`,
    pad: '绘制数字的画板；旁边的数字不需要指针',
    put: '加入所画的数字',
    wipe: '擦除',
    bag: (k) => `您的包：${k} 个数字`,
    empty: '清空包',
    save: '保存以供查看',
    hint: '点击数字即可放入。点击包里的数字即可取出。',
    remove: (i, label, score, sign) =>
      `取出数字 ${number(i)}，${label === null ? '手绘' : `一个 ${label}`}` +
      (score && `；${sign === 0 ? '不显著' : `${sign > 0 ? '支持' : '反对'}，${score}`}`),
    says: '网络的回答',
    caption:
      '向上支持网络的回答，向下反对；没有条形的数字不显著。所画的数字会居中，宽 28 像素，像训练用的数字一样，用四级' +
      '灰度。此页面的地址会保存这个包。',
  },

  own: {
    title: '使用您自己的模型和数据',
    here:
      '此页面上的方法只评估联盟，所以适用于任何 MIL 模型。看看<mean>对这些数字取平均的网络</mean>或<graph>它们的图' +
      '网络</graph>，或者<look>打开您自己的模型和包</look>。您的浏览器读取并计算它们，任何数据都不会离开此设备。您也' +
      '可以<embed>把一个解释过的包放进您自己的网页</embed>，例如课程、手册或论文的补充材料。',
    sources: '来源',
    papers:
      '方法、抽样曲线和检验来自 Joseph Early、Christine Evers 和 Sarvapali Ramchurn，<cite>Model Agnostic ' +
      'Interpretability for Multiple Instance Learning</cite>，ICLR 2022。数字的包仿照他们的 4-MNIST-Bags。数字和向量由' +
      '我们的生成器绘制。作为加权回归的 Shapley 值来自 Lundberg 和 Lee（2017），单个输入附近的代理模型来自 Ribeiro、' +
      'Singh 和 Guestrin（2016），注意力池化来自 Ilse、Tomczak 和 Welling（2018），AOPC 来自 Samek 等人（2017）。',
    limits:
      '解释显示的是此模型的行为，而不是真相。它不是医疗器械。bagscope 是采用 Apache License 2.0 的自由软件。',
    licences: '所含内容的许可',
  },

  room: {
    label: '课堂模式',
    show: '显示得分',
    hide: '隐藏得分',
    before: '上一幅图',
    next: '下一幅图',
    place: (n, of) => `${of} 中的 ${n}`,
  },
};
