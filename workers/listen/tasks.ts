/** Turns the text of an item into what is read aloud. */
export interface PlanReadingInput {
  /** Markdown. */
  text: string;
  title: string;
  /** ISO 639; null when unknown. */
  language: string | null;
}

/** What is not read, by rule. It is said where it stands, but for footnotes. */
export interface LeftUnread {
  code: number;
  tables: number;
  footnotes: number;
  pictures: number;
  formulas: number;
}

/** A paragraph, or a piece of a long one. */
export interface ReadParagraph {
  text: string;
  /** Silence before it. */
  pauseSeconds: number;
}

/** What is spoken into one file. */
export interface ReadPart {
  /** Index in the list of chapters. */
  chapter: number;
  paragraphs: ReadParagraph[];
}

export interface PlanReadingOutput {
  chapters: { title: string }[];
  /** In the order of the text; the first ones are short, so that they are soon heard. */
  parts: ReadPart[];
  characters: number;
  leftUnread: LeftUnread;
}

export interface BookChapter {
  title: string;
  startSeconds: number;
}

/** Joins finished parts into `book.wav` and `book.mp3`, and their captions into `book.vtt` and `book.txt`. */
export interface WriteBookInput {
  folder: string;
  /** Names without extension, in order; each has a .wav of the same rate, and its facts as .json. */
  parts: string[];
  chapters: BookChapter[];
  title: string;
}

/** What the file of a part says. */
export interface SpokenFacts {
  seconds: number;
  /** In its own time. */
  cues: BookCue[];
  /** Runs of letters and sentences for which the voice has no sounds. */
  unspoken: number;
}

export interface BookCue {
  start: number;
  end: number;
  text: string;
}

export interface WriteBookOutput {
  durationSeconds: number;
  /** The .wav would be larger than its format allows: there is none. */
  hasWave: boolean;
}

declare module '../../src-server/platform/pool/worker-pool.ts' {
  interface TaskMap {
    'plan-reading': { input: PlanReadingInput; output: PlanReadingOutput };
    'write-book': { input: WriteBookInput; output: WriteBookOutput };
  }
}
