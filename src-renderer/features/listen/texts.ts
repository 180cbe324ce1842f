import { countedNoun, formatWholeNumber } from '../../components/format.ts';

interface Unread {
  code: number;
  tables: number;
  footnotes: number;
  pictures: number;
  formulas: number;
}

const counted = (count: number, one: string, many = `${one}s`) =>
  count === 0 ? [] : [countedNoun(formatWholeNumber(count), one, many)];

/** Texts of what reads items aloud. */
export const listen = {
  open: 'Listen',
  title: 'Read aloud',
  by: (voice: string) => `Read by ${voice}`,
  close: 'Close the player',
  play: 'Play',
  pause: 'Pause',
  back: 'Back 15 seconds',
  forward: 'Forward 30 seconds',
  waiting: 'The voice begins…',
  failed: 'Try again',
  voice: 'Voice',
  pace: 'Pace',
  paceOf: (rate: number) => `${rate}×`,
  chapter: 'Chapter',
  spoken: (done: number, all: number) => `${Math.floor((done / all) * 100)} % is spoken`,
  whole: 'Keep it',
  files: { m4b: 'Audio book', mp3: 'MP3', vtt: 'Subtitles', txt: 'Text' },
  named: ({ code, tables, footnotes, pictures, formulas }: Unread) => {
    const all = [
      ...counted(tables, 'table'),
      ...counted(code, 'piece of code', 'pieces of code'),
      ...counted(formulas, 'formula'),
      ...counted(footnotes, 'footnote'),
    ];
    const shown = [...all, ...counted(pictures, 'picture')];
    return shown.length === 0 ? null : `Not read word by word: ${shown.join(', ')}.`;
  },
  unspoken: (count: number) =>
    `The voice has no sounds for ${countedNoun(formatWholeNumber(count), 'word or sentence', 'words or sentences')}.`,
  remove: 'Remove the recording',
  feed: {
    title: 'In a podcast app',
    about: 'An app on this computer, or on your phone in the same network, plays all that was read aloud.',
    make: 'Make an address',
    name: 'Podcast app',
    drop: 'Remove this address',
    copy: 'address',
    phone: 'Your phone reaches it while "Open on your phone" is on.',
  },
  keys: { listen: 'Listen to it' },
};
