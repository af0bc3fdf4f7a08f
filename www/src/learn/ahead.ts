// A browser lays out nothing that is far from the screen, and then at once all that comes near; and
// until it has seen a piece, it knows no height of it. A jump into the middle of the article would
// wait for four screens of it, and land elsewhere. So each piece is laid out once, as if it were
// near, while there is nothing else to do.
import { idle, nextTask } from '../lib/pauses';

/** Has these pieces laid out, one after the other. */
export async function layOut(pieces: Iterable<HTMLElement>): Promise<void> {
  for (const piece of pieces) {
    await idle();
    piece.style.contentVisibility = 'visible';
    await frame();
    piece.style.contentVisibility = '';
  }
}

/** Comes when what was changed is on the screen. */
async function frame(): Promise<void> {
  await new Promise((done) => requestAnimationFrame(done));
  await nextTask();
}
