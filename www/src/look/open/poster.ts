// The stored explanation of the example, which the page shows until its engine has made one.
import poster from 'virtual:poster';
import { putStored } from '../state/answer.svelte';
import { showStored } from '../state/session.svelte';

/** Shows the stored explanation. */
export function showPoster(): void {
  showStored(true);
  putStored(poster.prediction);
}
