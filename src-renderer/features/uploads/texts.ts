import { countedNoun, formatWholeNumber } from '../../components/format.ts';
import type { Kind } from '../../components/work.ts';

/** What the layer says about each kind while something is dragged over the window. */
const DRAGGED: Partial<Record<Kind, [one: string, many: string, willBe: string]>> = {
  read: ['document', 'documents', 'will be read'],
  transcribe: ['recording', 'recordings', 'will be transcribed'],
  crawl: ['file', 'files', 'will be crawled'],
};

const LEFT_OUT_NAMES = 5;

export const uploads = {
  add: 'Add files',
  layer: 'Drop files',
  drop: (count: number) => (count === 1 ? 'Drop to add it' : `Drop to add ${formatWholeNumber(count)} things`),
  stays: (count: number) => (count === 1 ? 'It stays on this computer.' : 'They stay on this computer.'),
  dragged: (kind: Kind, count: number) => {
    const [one, many] = DRAGGED[kind] ?? ['file', 'files'];
    return `${formatWholeNumber(count)} ${count === 1 ? one : many}`;
  },
  willBe: (kind: Kind) => DRAGGED[kind]?.[2],
  unknown: (count: number) => (count === 1 ? '1 file or folder' : `${formatWholeNumber(count)} files or folders`),
  unknownWillBe: 'everything in it that can be read',
  tray: 'Added files',
  adding: (count: number) => `Adding ${formatWholeNumber(count)} ${count === 1 ? 'file' : 'files'}`,
  added: (count: number) => `${formatWholeNumber(count)} added`,
  failed: (count: number) => `${formatWholeNumber(count)} failed`,
  waiting: 'Waiting to upload',
  checking: 'Looking whether you have it',
  left: 'Left as it is',
  knownSince: (day: string) => `You have this since ${day}`,
  have: (count: number) => `${formatWholeNumber(count)} you have`,
  choose: 'Choose',
  known: {
    title: {
      document: 'You already have this document',
      talk: 'You already have this recording',
      site: 'You already have this site',
      page: 'You already have this page',
      sound: 'You already have this sound',
      text: 'You already have this text',
    },
    given: (isFile: boolean) => (isFile ? 'You dropped' : 'You gave'),
    here: 'In the library',
    added: 'Added',
    addedFrom: (day: string, source: string) => `${day}, from ${source}`,
    deleted: 'Deleted',
    same: 'The same?',
    sameBytes: 'Yes, every byte',
    sameAddress: 'It has the same address; what is there may have changed',
    yours: 'Yours on it',
    own: ({ notes, tags, collections }: Record<'notes' | 'tags' | 'collections', number>) => {
      const parts = [
        notes > 0 && countedNoun(formatWholeNumber(notes), 'note or highlight', 'notes and highlights'),
        tags > 0 && countedNoun(tags, 'tag'),
        collections > 0 && countedNoun(collections, 'collection'),
      ].filter((part) => part !== false);
      return parts.length === 0 ? 'Nothing yet' : parts.join(', ');
    },
    what: 'What to do',
    open: 'Open it',
    openAbout: 'Nothing is read twice. What you added is not kept a second time.',
    back: 'Bring it back and open it',
    backAbout: 'It comes back with its tags and notes. Nothing is read twice.',
    again: (version: number) => `Read again as version ${formatWholeNumber(version)}`,
    againAbout: 'With the choices of today. Tags and notes stay, and you can compare.',
    others: (count: number) =>
      `The same for the ${count === 1 ? 'other one' : `${formatWholeNumber(count)} others`} you have`,
    leave: 'Leave it out',
  },
  uploading: (sent: string, size: string) => `${sent} of ${size}`,
  sending: 'Sending',
  accepted: 'Added',
  cancelled: 'Cancelled',
  open: 'Open',
  again: 'Try again',
  cancel: (name: string) => `Cancel ${name}`,
  remove: (name: string) => `Remove ${name} from this list`,
  fold: 'Fold the list',
  unfold: 'Unfold the list',
  close: 'Close the list',
  progress: (name: string) => `Upload of ${name}`,
  empty: 'Nothing in the folder can be read.',
  leftOut: (names: readonly string[]) => {
    const count =
      names.length === 1
        ? '1 hidden or temporary file was'
        : `${formatWholeNumber(names.length)} hidden or temporary files were`;
    const shown = names.slice(0, LEFT_OUT_NAMES).join(', ');
    return `${count} left out of the folder: ${shown}${names.length > LEFT_OUT_NAMES ? ', …' : ''}`;
  },
};
