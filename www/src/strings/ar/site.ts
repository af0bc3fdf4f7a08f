import type { Strings } from '../index.ts';

export { look } from '../en/look.ts';

export const site: Strings['site'] = {
  direction: 'rtl',
  pages: 'الموقع',
  menu: 'القائمة',
  language: 'اللغة',
  learn: 'تعلّم',
  look: 'انظر',
  embed: 'Embed',
  python: 'Python',
  docs: 'Docs',
  bench: 'Bench',
  colours: 'الألوان',
  auto: 'تلقائي',
  light: 'فاتح',
  dark: 'داكن',
  code: {
    copy: 'نسخ',
    copied: 'تم النسخ',
    failed: 'المتصفح يمنع النسخ: حدّد النص وانسخه يدويًا.',
  },
};

export const heads: Strings['heads'] = {
  pages: {
    learn: {
      title: 'انظر داخل الحقيبة: شرح التعلّم متعدد المثيلات',
      description:
        'مقال تفاعلي قصير عن تفسير نماذج التعلّم متعدد المثيلات: أي مثيلات الحقيبة مهم، وأي صنف يدعمه كل ' +
        'مثيل أو يعارضه.',
    },
    look: {
      title: 'bagscope: انظر داخل الحقيبة',
      description:
        'انظر أي مثيلات الحقيبة مهم لنموذج تعلّم متعدد المثيلات، ولأي صنف. يعمل في متصفحك؛ ولا يغادر شيء ' +
        'جهازك.',
    },
    embed: { title: 'Embed', description: 'Embed' },
    python: { title: 'Python', description: 'Python' },
  },
  fromDisk:
    'فُتحت هذه الصفحة من قرص، حيث تسمح لها المتصفحات بالعرض لا بالحساب. افتح lesson.html أو look.html من ' +
    'إصدار الذاكرة المحمولة، أو شغّل خادمًا لهذا المجلد وافتح العنوان الذي يكتبه هذا الأمر:',
  noScript: 'تحسب هذه الصفحة في متصفحك وتحتاج إلى JavaScript وWebAssembly.',
  manifest: {
    name: 'bagscope: انظر داخل الحقيبة',
    description:
      'أي مثيلات الحقيبة مهم لنموذج تعلّم متعدد المثيلات، وأي صنف يدعمه كل مثيل أو يعارضه.',
  },
};

const by = (sides: readonly unknown[]) => sides.join(' × ');

export const read: Strings['read'] = {
  of: (name, words) => `${name}: ${words}`,
  canvas: (width, height) =>
    `لا يرسم المتصفح على لوحة من ${width} × ${height} بكسل: ذاكرته ممتلئة أو أن إعدادًا يمنع ذلك. أغلق ` +
    'ألسنة أخرى أو اسمح لهذه الصفحة بالرسم، ثم أعد تحميلها',
  noReason: 'لا يذكر المتصفح سببًا',
  largeModel: (name) =>
    `حجم ${name} هو 2 غيبيبايت أو أكثر، وملفات ONNX أصغر من ذلك: أوزان النماذج الأكبر في ملفات خاصة بها. ` +
    'صدّره مع «external data»، وافتح جميع ملفاته معًا',
  worker: {
    stopped: (reason) => `توقفت قراءة الملفات: ${reason}`,
    late: (seconds) => `استغرق الأمر أكثر من ${seconds} ثانية`,
    closed: 'هذه الصورة مغلقة',
    noHash: 'لا يُحسب مجموع تحقق لملف أكبر من 1 غيبيبايت',
    missing: (path, status) => `لا يوجد ${path} على الخادم (${status})`,
    unreachable: (path) => `تعذّر جلب ${path}؛ تحقق من الاتصال بالشبكة`,
  },
  picture: {
    empty: 'لا بكسلات في الصورة',
    tooLarge: (name, width, height, most, side) =>
      `في ${name} عدد ${width} × ${height} بكسل؛ الحد هو ${most} × ${most}، و${side} للضلع. صدّر مستوى أصغر ` +
      'منها، أو افتح بدلًا منها سمات مع إحداثيات',
    damaged: 'الصورة تالفة',
    none: (name) =>
      `${name} ليس صورة يستطيع هذا المتصفح عرضها؛ الأنواع المدعومة PNG وJPEG وWebP وTIFF`,
  },
  patches: { whole: 'يجب أن يكون ضلع الرقع وخطوتها عددين صحيحين لا يقلان عن 1' },
  tiff: {
    level: (name, whole, shown) =>
      `في ${name} عدد ${by(whole)} بكسل، أكثر مما تستطيع الصفحة عرضه؛ يُعرض بعدد ${by(shown)}. تُقطع الرقع ` +
      'بالدقة الكاملة.',
  },
};
