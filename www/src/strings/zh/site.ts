import type { Strings } from '../index.ts';

export { look } from '../en/look.ts';

export const site: Strings['site'] = {
  direction: 'ltr',
  pages: '网站',
  menu: '菜单',
  language: '语言',
  learn: '学习',
  look: '查看',
  embed: 'Embed',
  python: 'Python',
  docs: 'Docs',
  bench: 'Bench',
  colours: '颜色',
  auto: '自动',
  light: '浅色',
  dark: '深色',
  code: {
    copy: '复制',
    copied: '已复制',
    failed: '浏览器禁止复制：请选中文本后手动复制。',
  },
};

export const heads: Strings['heads'] = {
  pages: {
    learn: {
      title: '看看包里有什么：多示例学习的解释',
      description:
        '一篇简短的交互式文章，讲如何解释多示例学习模型：包中哪些示例重要，每个示例支持或反对哪个类别。',
    },
    look: {
      title: 'bagscope：看看包里有什么',
      description:
        '看看包中哪些示例对多示例学习模型重要，对哪个类别重要。它在您的浏览器中运行；任何数据都不会离开您的设备。',
    },
    embed: { title: 'Embed', description: 'Embed' },
    python: { title: 'Python', description: 'Python' },
  },
  fromDisk:
    '此页面是从磁盘打开的，浏览器在这种情况下只能显示而不能计算。请打开 U 盘版本中的 lesson.html 或 look.html，' +
    '或者用此命令提供此文件夹，并打开它给出的地址：',
  noScript: '此页面在您的浏览器中计算，需要 JavaScript 和 WebAssembly。',
  manifest: {
    name: 'bagscope：看看包里有什么',
    description: '包中哪些示例对多示例学习模型重要，每个示例支持或反对哪个类别。',
  },
};

const by = (sides: readonly unknown[]) => sides.join(' × ');

export const read: Strings['read'] = {
  of: (name, words) => `${name}：${words}`,
  canvas: (width, height) =>
    `浏览器不能在 ${width} × ${height} 像素的画布上绘制：内存已用尽，或某项设置禁止绘制。请关闭其他标签页，` +
    '或允许此页面使用画布，然后重新加载',
  noReason: '浏览器没有给出原因',
  largeModel: (name) =>
    `${name} 有 2 GiB 或更大，而 ONNX 文件小于此：更大模型的权重保存在单独的文件中。请用“external data”导出，` +
    '并同时打开它的所有文件',
  worker: {
    stopped: (reason) => `读取文件的过程已停止：${reason}`,
    late: (seconds) => `耗时超过 ${seconds} 秒`,
    closed: '此图片已关闭',
    noHash: '超过 1 GiB 的文件不计算校验和',
    missing: (path, status) => `服务器上没有 ${path}（${status}）`,
    unreachable: (path) => `无法获取 ${path}；请检查网络连接`,
  },
  picture: {
    empty: '图片没有像素',
    tooLarge: (name, width, height, most, side) =>
      `${name} 有 ${width} × ${height} 像素；上限为 ${most} × ${most}，每边 ${side}。请导出较小的一级，` +
      '或改为打开带坐标的特征',
    damaged: '图片已损坏',
    none: (name) => `${name} 不是此浏览器能显示的图片；支持 PNG、JPEG、WebP 和 TIFF`,
  },
  patches: { whole: '图块的边长和步长必须是至少为 1 的整数' },
  tiff: {
    level: (name, whole, shown) =>
      `${name} 有 ${by(whole)} 像素，超过页面能显示的大小；现以 ${by(shown)} 显示。图块按完整分辨率切取。`,
  },
};
