// One instance in words, for those who do not see the picture.
import { look as words } from '../../strings';
import { studio } from './state.svelte';

/** "instance 7 supports “an 8” by 0.31, out of the bag". */
export function describeInstance(instance: number): string {
  const e = studio.explanations.find((e) => e.class === studio.predicted) ?? studio.explanations[0];
  const text = e
    ? words.sentence(instance, studio.className(e.class), studio.reading(e, instance))
    : words.instanceAlone(instance);
  return studio.out.includes(instance) ? `${text}, ${words.outOfBag}` : text;
}
