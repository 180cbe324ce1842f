import { formatWholeNumber } from '../../components/format.ts';
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
