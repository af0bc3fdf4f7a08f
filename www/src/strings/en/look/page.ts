// The frame of the explorer: head, foot, messages, privacy.
import { count } from '../../../lib/format.ts';
import { plural, type Noun } from '../phrases.ts';

export const page = {
  panel: {
    title: 'About the picture',
    parts: { evidence: 'Evidence', whatif: 'What if?', trust: 'Trust', data: 'Data' },
    lift: 'Show more of this',
    lower: 'Show more of the picture',
  },

  alert: {
    close: 'Close this message',
    otherModel: 'Another model …',
    otherBag: 'Another bag …',
    retry: 'Try again',
  },

  head: {
    line: 'see inside a bag',
    about: (noun: Noun) =>
      `The model predicts one label for a whole bag of ${noun.several}. The colours show the ` +
      `score of each ${noun.one}:`,
    plus: '+',
    supports: 'supports a class,',
    minus: '−',
    refutes: 'refutes it; grey does not stand out.',
    skip: 'Skip to the explanation',
    drop: 'Drop to open. Nothing leaves this machine.',
  },

  foot: {
    private: 'Nothing leaves this machine.',
    how:
      'Your browser reads and computes everything. After loading, a ' +
      'Content-Security-Policy forbids the page every request, and the page works without ' +
      'a network.',
    diagnosis:
      'It explains a model, not a patient. It is not a medical device and gives no ' +
      'diagnosis. A score shows what changed this model’s prediction, and models make ' +
      'mistakes.',
    licences: 'Licences',
    bench: 'How fast is it in this browser?',
  },

  problems: {
    format: 'This file cannot be read',
    unsupported: 'The model or the file is of a kind that is not supported',
    missing: 'A part of the model is missing',
    limit: 'This is larger than the page allows',
    memory: 'This takes more memory than there is',
    'memory-busy': 'The memory is in use',
    setting: 'A setting is invalid',
    unavailable: 'This method does not work with this model',
    budget: 'The budget is too small',
    'non-finite': 'The model returned a value that is not a number',
    bag: 'The bag does not fit the model',
    run: 'The model fails on this bag',
    callable: 'The function failed',
    internal: 'The engine failed',
    canvas: 'A picture cannot be drawn',
  },
  raise: 'the command line can raise the limit',

  messages: {
    both: 'Both stay open: choose another bag or another model.',
    before: 'The picture shows the previous explanation.',
    unclear: 'Explained. No score stands out.',
    cancelled: 'Cancelled. The picture shows the previous explanation.',
    unreadable:
      'The browser cannot read a file any more, because it was moved, changed or is protected. ' +
      'Choose it again',
    noFiles: 'There are no files in what was dropped. The open files stay open',
    manyFiles: (most: number) =>
      `There are more than ${count(most)} files in the folder. Drop the model and the bag ` +
      'alone, or features of all patches in one file',
    emptied: 'The page is empty.',
    otherLink: 'The link is from another version of this page and was not used.',
    openingCancelled: 'Cancelled. The previous files are still open.',
    explained: (strongest: string) =>
      strongest ? `Explained. Strongest: ${strongest}.` : 'Explained.',
    reload: 'Reload the page to try again.',
    noDevice: 'There is no graphics processor for this page',
    omitDevice: 'To encode on the CPU, remove device=gpu from the address of the page.',
    worker: 'One of several workers ended',
    workerHow: (reason: string) =>
      `${reason}. The other workers do its part: explanations are complete but take longer.`,
    drop: (n: number) => `Drop ${n > 1 ? 'them' : 'it'} here, together with the model or now.`,
    needsModel:
      'The bag is open. Open the model that predicts it: drop its .onnx file anywhere on ' +
      'this page, or choose it above.',
    needsBag:
      'The model is open. Open a bag for it: drop the file anywhere on this page, or ' +
      'choose it above.',
    still: (name: string, several = false) => `${name} ${several ? 'are' : 'is'} still open.`,
    stays: (name: string) => `${name} stays open.`,
    allBack: 'All are restored.',
    now: (className: string, value: string) => `“${className}” is now at ${value}.`,
  },

  privacy: {
    title: 'What leaves this machine: nothing',
    loading: (n: number) => `${plural(n, 'request')} so far, to load the page.`,
    sealed: (before: number, since: number) =>
      `${plural(before, 'request')} loaded the page; ${since === 0 ? 'none' : count(since)} since.`,
    refused: (n: number) => `The browser refused ${plural(n, 'attempt')} to connect.`,
    how:
      'A Content-Security-Policy forbids the page every connection, and the browser ' +
      'enforces it. The network tab of the browser’s tools shows no requests. The page ' +
      'works in flight mode.',
    stored: 'The page stores only the choice of colours. Files stay in its memory.',
    forget: 'Remove my data',
    ask:
      'Remove the open files, the results, the settings and what the browser stored for ' +
      'this page?',
    remove: 'Remove all',
    keep: 'Keep',
    forgot: (names: readonly string[]) =>
      'Removed: ' +
      `${[...names, 'all results and settings', 'the choice of colours'].join(', ')}. ` +
      'The page is empty, also after a reload.',
    explains: 'It explains a model and is not a diagnosis.',
  },
};
