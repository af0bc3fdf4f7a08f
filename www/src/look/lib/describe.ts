// One instance in words, for those who do not see the picture.
import { look as words } from '../../strings';
import { question } from '../state/question.svelte';
import { answer } from '../state/answer.svelte';
import { view } from '../state/view.svelte';

/** "instance 7 supports “an 8” by 0.31, out of the bag". */
export function describeInstance(instance: number): string {
  const e = view.explanations.find((e) => e.class === answer.predicted) ?? view.explanations[0];
  const text = e
    ? words.sentence(instance, answer.className(e.class), view.reading(e, instance))
    : words.instanceAlone(instance);
  return question.removed.includes(instance) ? `${text}, ${words.outOfBag}` : text;
}
