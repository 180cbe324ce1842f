import { countedNoun, formatWholeNumber } from '../../components/format.ts';

const WORDS_A_MINUTE = 150;

export const make = {
  title: 'Make',
  kinds: { speak: 'Speak', compose: 'Compose', write: 'Write' },
  ask: { speak: 'What should be said?', compose: 'What should it sound like?', write: 'What should be written?' },
  hint: {
    speak: 'Type or paste a text',
    compose: 'Genre, mood and instruments, or sounds: calm piano with soft rain',
    write: 'Describe the text, or paste one to work on',
  },
  act: { speak: 'Speak', compose: 'Compose', write: 'Write' },
  stays: {
    speak: 'As MP3 and WAV, kept in the Library.',
    compose: 'As MP3 and WAV, kept in the Library.',
    write: 'Kept in the Library.',
  },
  /** `41 words, about 16 seconds` */
  spoken: (words: number, speed: number) => {
    const seconds = Math.max(1, Math.round((words / WORDS_A_MINUTE / speed) * 60));
    const time = seconds < 90 ? countedNoun(seconds, 'second') : countedNoun(Math.round(seconds / 60), 'minute');
    return `${countedNoun(formatWholeNumber(words), 'word')}, about ${time}`;
  },
  words: (words: number) => countedNoun(formatWholeNumber(words), 'word'),
  nothing: 'Type something first.',
  preset: 'Preset',
  savePreset: 'Save these settings as a preset',
  presetName: 'Name of the preset',
  presetSaved: (name: string) => `The preset “${name}” is saved in this browser.`,
  removePreset: (name: string) => `Remove the preset ${name}`,
  presetRemoved: (name: string) => `The preset “${name}” is removed.`,
  own: 'Your own',
  presets: {
    natural: { name: 'Natural', about: 'As a person would read it' },
    guide: { name: 'Audio guide', about: 'Calm, a little slower' },
    book: { name: 'Audiobook', about: 'Chapters, even loudness' },
    announcement: { name: 'Announcement', about: 'Slow and clear' },
    song: { name: 'A short piece', about: 'One minute, as described' },
    bed: { name: 'Under a voice', about: 'Three minutes, soft' },
    loop: { name: 'A loop', about: 'Repeats without a gap' },
    short: { name: 'Short', about: 'A paragraph or two' },
    long: { name: 'Long', about: 'A page or more' },
    exact: { name: 'Exact', about: 'Stays close to what you give' },
    free: { name: 'Inventive', about: 'Surprises more often' },
  },
  language: 'Language',
  voice: 'Voice',
  pace: 'Pace',
  paces: [
    [0.7, 'much slower'],
    [0.95, 'a little slower'],
    [1.05, 'as usual'],
    [1.3, 'a little faster'],
    [2, 'much faster'],
  ] as const,
  background: 'Music or sounds beneath',
  backgroundHint: 'Soft piano, or rain on a roof',
  subtitles: 'Subtitles',
  subtitlesAbout: 'The words with their times, for players and video',
  chapters: 'One file with chapters',
  chaptersAbout: 'An audiobook file (M4B), with a chapter at each heading',
  place: 'Where it will be heard',
  places: {
    podcast: 'Podcast',
    stream: 'Music and video sites',
    broadcast: 'Radio and television',
    audiobook: 'Audiobook shops',
  },
  minutes: 'Length',
  length: (seconds: number) =>
    seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min${seconds % 60 === 0 ? '' : ` ${seconds % 60} s`}`,
  tempo: 'Tempo',
  tempos: { auto: 'As it fits', slow: 'Slow', middle: 'Moderate', fast: 'Fast' },
  loop: 'Can be repeated without a gap',
  loopAbout: 'For sounds such as rain, sea or a room',
  parts: 'Each part as a file of its own',
  partsAbout: 'To mix it yourself',
  another: 'Another one',
  anotherAbout: 'The same description, another piece',
  model: 'Writer',
  modelAuto: 'The usual one',
  size: 'How long',
  sizes: { short: 'Short', middle: 'Medium', long: 'Long' },
  freedom: 'How freely',
  freedoms: { exact: 'Exact', middle: 'Balanced', free: 'Inventive' },
  asCode: 'As code',
  allSounds: 'All sounds there are',
  instruments: 'Sounds are made on this computer.',
};

export const language = {
  found: 'Found by itself',
  lately: 'Used lately',
  all: 'All',
  none: 'No such language',
  clear: 'Find it by itself',
};
