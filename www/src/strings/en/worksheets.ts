// Pages to print, of the article's bags. Instances are indices, and are written from 1.
import { number } from '../../lib/format.ts';
import { learn } from './learn.ts';

const several = learn.nouns;

/** Numbers of instances from 1, at most ten. */
const listed = (instances: readonly number[]) =>
  instances.length === 0
    ? 'none'
    : instances.slice(0, 10).map(number).join(', ') +
      (instances.length > 10 ? `, and ${instances.length - 10} more` : '');

export const worksheets = {
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
    `Which ${several(noun)} support this answer? Write their numbers.`,
    `Which ${several(noun)}, as few as possible, would you remove to change this answer?`,
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
    `${instances.length} of the ${several(noun)} must be removed, such as ${listed(instances)}; ` +
    `the probability of the answer is then ${share}.`,
  stays: 'No removal that changes the answer was found.',
};
