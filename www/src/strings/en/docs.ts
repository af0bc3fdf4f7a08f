// The frame of the documentation. Its texts are Markdown, in www/docs and beside the code.
import { number } from '../../lib/format.ts';
import { learn } from './learn.ts';

const several = learn.nouns;

/** Numbers of instances from 1, at most ten. */
const listed = (instances: readonly number[]) =>
  instances.length === 0
    ? 'none'
    : instances.slice(0, 10).map(number).join(', ') +
      (instances.length > 10 ? `, and ${instances.length - 10} more` : '');

export const docs = {
  skip: 'Skip to the text',
  title: 'Documentation',
  lead: 'Guides that take a few minutes each, the reference, and the manuals of each part.',
  pages: 'Pages of the documentation',
  groups: { guides: 'Guides', reference: 'Reference', manuals: 'Manuals' },
  /** Names of pages in the list, instead of their headings. */
  labels: { npm: 'npm package', python: 'Python package' },
  /** What each guide answers, in the list of the first page; others have their first sentence. */
  answers: {
    first: 'From an ONNX file and an array to a picture of what mattered, in four commands.',
    pytorch: 'Write a module as an ONNX file, with a proof that both give the same scores.',
    slides: 'Find tissue, lay patches, encode them and see the map on the slide.',
    dicom: 'Explain a CT or MR series: which slices support the prediction.',
    tables: 'Explain a table of cells or tiles, whatever program wrote it.',
    choosing: 'Consensus, unless you need exact sums, errors or the model’s own scores.',
    reading:
      'I am a pathologist: what do the colours mean? Blue supports the class, orange refutes it; ' +
      'this guide says when to trust neither.',
    embedding: 'Show an explained bag on your own page, with one element and no server.',
    server: 'Answer requests over HTTP with the bytes of the command line.',
    proxy: 'Put nginx, Caddy or Kubernetes in front of the server without opening it to everyone.',
    cohort: 'Explain every bag of a study, and see what the maps have in common by class and site.',
    gpu: 'Encode slides faster on Vulkan, Metal, Direct3D 12 or WebGPU; scores stay the same.',
    privacy: 'Nothing leaves your machine, and how you can check that.',
    teaching: 'Lessons of 5, 15, 45 and 60 minutes with the article.',
    worksheet: 'A page to print: say what a network answers, and which instances make it do so.',
  } as Record<string, string>,
  /** Pages to print, of the article's bags. Instances are indices, and are written from 1. */
  worksheets: {
    worksheet: {
      title: 'Worksheet',
      lead:
        'A network was told what is in a whole bag, never where. Say what it will answer, and ' +
        'why. The [answers](answers.html) are a page of their own.\n\nName:\n\n---',
    },
    answers: {
      title: 'Answers to the worksheet',
      lead: 'What the network and Consensus say of the bags of the [worksheet](worksheet.html).',
    },
    bag: (n: number) => `Bag ${n}`,
    numbered: (count: number, noun: string) => `${count} ${several(noun)}, numbered from 1`,
    questions: (noun: string) => [
      'What does the network say of this bag?',
      `Which ${several(noun)} speak for it? Write their numbers.`,
      `Which ${several(noun)}, as few as possible, must go until it says something else?`,
    ],
    says: (name: string, share: string) => `The network says “${name}” (${share}).`,
    evidence: (noun: string, supporting: readonly number[], refuting: readonly number[]) =>
      supporting.length + refuting.length === 0
        ? `No ${noun} stands out.`
        : `For it, the strongest first: ${listed(supporting)}. Against it: ${listed(refuting)}.`,
    enough: (noun: string, instances: readonly number[]) =>
      instances.length === 0
        ? `It says so of a bag without ${several(noun)}, too.`
        : `${instances.length === 1 ? `One ${noun} is` : `${instances.length} ${several(noun)} are`} enough: ${listed(instances)}.`,
    turns: (noun: string, instances: readonly number[], share: string) =>
      `${instances.length} of the ${several(noun)} must go, such as ${listed(instances)}: ` +
      `then ${share} are left.`,
    stays: 'It stays, whichever go.',
  },
  table: 'Table',
  listing: 'Listing',
  search: {
    label: 'Search the documentation',
    results: 'Results',
    found: (n: number) =>
      n === 0 ? 'No section has these words.' : n === 1 ? '1 section' : `${n} sections`,
    failed: 'The search index could not be loaded. Check the network, and search again.',
  },
};
