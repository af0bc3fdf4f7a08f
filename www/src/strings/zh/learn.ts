import { texts } from '../../../../wasm/npm/src/element/texts/zh.ts';
import { number, percent, plain } from '../../lib/format.ts';
import type { Strings } from '../index.ts';

const names: Record<string, (label: number) => string> = {
  digit: (label) => `一个 ${label}`,
  moment: (label) => ['正常', '过热', '振动异常'][label] ?? '',
  patch: (label) => ['其他细胞核', '腺体', '腺体及其他'][label] ?? '',
};
const groups: Record<string, (label: number) => string> = {
  digit: (label) => `数字 ${label}`,
  moment: (label) => ['正常时刻', '过热时刻', '振动异常时刻'][label] ?? '',
  patch: (label) => ['不含腺体的图块', '腺体图块', '含有腺体的图块'][label] ?? '图块',
};
const nouns: Record<string, string> = { digit: '数字', moment: '时刻', patch: '图块' };

export const learn: Strings['learn'] = {
  classes: {
    'neither 8 nor 9': '没有 8 也没有 9',
    'an 8': '有 8',
    'a 9': '有 9',
    'an 8 and a 9': '有 8 也有 9',
    'no gland': '没有腺体',
    'a gland': '有腺体',
    sound: '完好',
    'running hot': '过热',
    'worn bearing': '轴承磨损',
    'hot and worn': '过热且磨损',
  },
  methods: texts.methods,
  skipped: () => '此模型没有这种方法。',
  trusted: (trust, at) => texts.trusted({ trust, at, unit: 'probability', draws: false }),
  bagTexts: {
    both: {
      title: '两个 8 和两个 9',
      story: '这个包里有两个 8 和两个 9。移除一个 8，预测不变。再移除另一个，预测就变了。',
    },
    eights: {
      title: '两个 8',
      story: '这个包里没有 9。一个 8 就足以得出预测，所以两个中的任意一个都可以移除。',
    },
    wrong: {
      title: '读错的包',
      story:
        '这个包里有五个 8 和一个 9，但模型预测“有 8”。选择类别“有 8 也有 9”，就能看到 9 的得分。',
    },
    neither: {
      title: '两者都没有',
      story: '这个包里没有 8，也没有 9。每个数字都略微支持类别“没有 8 也没有 9”。',
    },
    tissue: {
      title: '组织',
      story:
        '一块绘制的组织的图块，不是来自病人。腺体是由大而浅色的细胞核组成的环。模型训练时每张玻片只有' +
        '一个标签：是否含有腺体。',
    },
    machine: {
      title: '向量',
      story:
        '一台机器在 24 个时刻的温度和振动，每个时刻是平面上的一个点。有两个时刻过热，一个时刻振动异常。' +
        '此模型对包取最大值，没有注意力。',
    },
  },
  noun: (noun) => nouns[noun] ?? noun,
  nouns: (noun) => nouns[noun] ?? noun,
  name: (noun, label) => (label === undefined ? '' : (names[noun]?.(label) ?? '')),
  group: (noun, label) => groups[noun]?.(label) ?? '',
  instance: (noun, i, label) => {
    const name = learn.name(noun, label);
    return `${learn.noun(noun)} ${number(i)}${name && `（${name}）`}`;
  },
  verdict: (score, className, evident = true) => {
    if (!evident) return `对“${className}”与 0 无显著差别`;
    if (!Number.isFinite(score) || Math.abs(score) < 0.0005)
      return `既不支持也不反对“${className}”`;
    return `${score > 0 ? '支持' : '反对'}“${className}”，${plain(Math.abs(score))}`;
  },
  out: '已移除',
  bags: '选择一个包',
  bag: (noun) => `包：选择一个${learn.noun(noun)}，以移除或放回`,
  answer: '预测；选择要解释的类别',
  was: (p) => `原为 ${percent(p)}`,
  allBack: '全部放回',
  takeOne: (name) => `移除其中一个：${name}`,
  takeOnly: (name) => `移除：${name}`,
  takeAll: (n, name) => `移除全部 ${n} 个：${name}`,
  taken: (what) => `去掉${what}`,
  whole: '整个包',
  loading: '图中显示的是保存的结果。程序加载完成后即可交互。',
  asleep: '正在等待程序……',
  failed: '程序无法启动。图中显示的是保存的结果。',
  play: '播放',
  pause: '暂停',
  again: '重新抽取',
  seed: '随机种子',
  samples: '联盟数',
  alpha: 'α，第一名的概率',
  beta: 'β，弯曲',
  reset: '使用论文的值',
  vanished: '已移除的示例',
  order: '按此方法的顺序：',
  random: '随机顺序，10 次的均值',
  asFormula: '用公式表示',
  formula: '公式，可滚动',
  asTable: '显示为表格',
  none: '此模型没有注意力。',
  attention: '注意力',
  moved: (instance, back) => `${instance}已${back ? '放回' : '移除'}。`,
  told: (what, className, p) => `${what}“${className}”现在为 ${percent(p)}。`,
  noEmpty: '至少要留下一个示例：模型无法对空包作出预测。',
};
