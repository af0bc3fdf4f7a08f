import { texts } from '../../../../wasm/npm/src/element/texts/ar.ts';
import { number, percent, plain } from '../../lib/format.ts';
import type { Strings } from '../index.ts';

const names: Record<string, (label: number) => string> = {
  digit: (label) => `الرقم ${label}`,
  moment: (label) => ['عادية', 'ساخنة جدًا', 'مع اهتزاز'][label] ?? '',
  patch: (label) => ['لأنوية أخرى', 'لغدة', 'لغدة وغيرها'][label] ?? '',
};
const groups: Record<string, (label: number) => string> = {
  digit: (label) => `من الرقم ${label}`,
  moment: (label) => ['من اللحظات العادية', 'من اللحظات الساخنة', 'من لحظات الاهتزاز'][label] ?? '',
  patch: (label) =>
    ['من الرقع بلا غدة', 'من رقع الغدد', 'من الرقع التي فيها غدة'][label] ?? 'من الرقع',
};
const nouns: Record<string, readonly [one: string, many: string]> = {
  digit: ['رقم', 'أرقام'],
  moment: ['لحظة', 'لحظات'],
  patch: ['رقعة', 'رقع'],
};

export const learn: Strings['learn'] = {
  classes: {
    'neither 8 nor 9': 'لا 8 ولا 9',
    'an 8': 'فيها 8',
    'a 9': 'فيها 9',
    'an 8 and a 9': 'فيها 8 و9',
    'no gland': 'بلا غدة',
    'a gland': 'فيها غدة',
    sound: 'سليمة',
    'running hot': 'تسخن',
    'worn bearing': 'محمل متآكل',
    'hot and worn': 'ساخنة ومتآكلة',
  },
  methods: texts.methods,
  skipped: () => 'هذه الطريقة غير متاحة لهذا النموذج.',
  trusted: (trust, at) => texts.trusted({ trust, at, unit: 'probability', draws: false }),
  bagTexts: {
    both: {
      title: 'اثنان 8 واثنان 9',
      story:
        'في هذه الحقيبة اثنان من الرقم 8 واثنان من الرقم 9. احذف 8 واحدًا فيبقى التنبؤ. احذف الآخر أيضًا ' +
        'فيتغيّر.',
    },
    eights: {
      title: 'اثنان 8',
      story: 'لا 9 في هذه الحقيبة. يكفي 8 واحد للتنبؤ، لذلك يمكنك حذف أي من الاثنين.',
    },
    wrong: {
      title: 'قراءة خاطئة',
      story:
        'في هذه الحقيبة خمسة من الرقم 8 و9 واحد، لكن النموذج يتنبأ «فيها 8». اختر الصنف «فيها 8 و9» لترى ' +
        'درجة الرقم 9.',
    },
    neither: {
      title: 'لا هذا ولا ذاك',
      story: 'لا 8 ولا 9 في هذه الحقيبة. كل رقم يدعم قليلًا الصنف «لا 8 ولا 9».',
    },
    tissue: {
      title: 'نسيج',
      story:
        'رقع من قطعة نسيج مرسومة؛ ليست من مريض. الغدد حلقات من أنوية كبيرة شاحبة. دُرّب النموذج بوسم واحد ' +
        'لكل شريحة: هل فيها غدة.',
    },
    machine: {
      title: 'متجهات',
      story:
        'حرارة واهتزاز آلة في 24 لحظة، كل لحظة نقطة في المستوى. في لحظتين كانت ساخنة جدًا، وفي لحظة اهتزت. ' +
        'هذا النموذج يأخذ القيمة العظمى في الحقيبة وليس له انتباه.',
    },
  },
  noun: (noun) => nouns[noun]?.[0] ?? noun,
  nouns: (noun) => nouns[noun]?.[1] ?? noun,
  name: (noun, label) => (label === undefined ? '' : (names[noun]?.(label) ?? '')),
  group: (noun, label) => groups[noun]?.(label) ?? '',
  instance: (noun, i, label) => {
    const name = learn.name(noun, label);
    return `العنصر ${number(i)}${name && ` (${name})`}`;
  },
  verdict: (score, className, evident = true) => {
    if (!evident) return `لا فرق بارزًا له عن 0 للصنف «${className}»`;
    if (!Number.isFinite(score) || Math.abs(score) < 0.0005)
      return `لا يدعم «${className}» ولا يعارضه`;
    return `${score > 0 ? 'يدعم' : 'يعارض'} «${className}» بمقدار ${plain(Math.abs(score))}`;
  },
  out: 'محذوف',
  bags: 'اختر حقيبة',
  bag: (noun) => `الحقيبة: اختر (${learn.noun(noun)}) للحذف أو الإعادة`,
  answer: 'التنبؤات؛ اختر الصنف المراد تفسيره',
  was: (p) => `كان ${percent(p)}`,
  allBack: 'إعادة الكل',
  takeOne: (name) => `احذف واحدًا ${name}`,
  takeOnly: (name) => `احذف: ${name}`,
  takeAll: (n, name) => `احذف الكل، وعددها ${n} ${name}`,
  taken: (what) => `من دون ${what}`,
  whole: 'الحقيبة كلها',
  loading: 'تعرض الأشكال نتائج مخزنة. تصبح تفاعلية بعد تحميل البرنامج.',
  asleep: 'في انتظار البرنامج …',
  failed: 'تعذّر تشغيل البرنامج. تعرض الأشكال نتائج مخزنة.',
  play: 'تشغيل',
  pause: 'إيقاف',
  again: 'اسحب غيرها',
  seed: 'البذرة',
  samples: 'عدد الائتلافات',
  alpha: 'α، احتمال الرتبة الأولى',
  beta: 'β، الانحناء',
  reset: 'استخدم قيم البحث',
  vanished: 'المثيلات المحذوفة',
  order: 'بترتيب',
  random: 'ترتيب عشوائي، متوسط 10',
  asFormula: 'الشيء نفسه بصيغة رياضية',
  formula: 'صيغة، قابلة للتمرير',
  asTable: 'عرض كجدول',
  none: 'ليس لهذا النموذج انتباه.',
  attention: 'الانتباه',
  moved: (instance, back) => `${back ? 'أُعيد' : 'حُذف'}: ${instance}.`,
  told: (what, className, p) => `${what} «${className}» الآن ${percent(p)}.`,
  noEmpty: 'يجب أن يبقى مثيل واحد على الأقل: لا يمكن لنموذج أن يتنبأ لحقيبة فارغة.',
};
