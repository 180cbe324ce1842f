/** What the library shows of a result: its title, and the figures of one line. */
import type { ItemKind, WorkGroup } from './kind.ts';

export interface ItemFacts {
  /** Null where the source tells none: the name of the file, or the label of the job stands for it. */
  title: string | null;
  kind: ItemKind;
  language: string | null;
  pages: number | null;
  words: number | null;
  seconds: number | null;
  excerpt: string | null;
  /** JSON array. */
  peaks: string | null;
  /** Names of those who speak. */
  speakers: string[];
}

/** The parts of results that are read here. All may be absent: results of earlier versions lack some. */
export interface ReadResult {
  document?: { title?: string | null; pages?: number; words?: number; language?: string | null };
  video?: { title?: string | null };
  file?: { title?: string | null } | null;
  media?: { durationSeconds?: number };
  transcript?: { words?: number; language?: string | null };
  pages?: { title?: string | null; language?: string | null; words?: number }[];
  speakers?: { name: string | null }[];
  chunks?: { text?: string; heading?: string | null }[];
  durationSeconds?: number;
  analysis?: { peaks?: number[] };
  content?: string;
}

const SENTENCE_CHARS_MAX = 60;

/** Titles that programs write, and that name nothing. */
const NO_TITLE = new RegExp(
  String.raw`^(?:untitled|unnamed|unbenannt|sans titre|document\d*|dokument\d*|title|titel|presentation\d*|slide \d+` +
    String.raw`|book\d*|workbook\d*|about:blank|index|home|audio|video|recording(?: \d+)?)$`,
  'iu',
);

const PROGRAM = /^Microsoft (?:Word|PowerPoint|Excel) - /;

/** A file name is no title: `report_final.docx`. */
const FILE_NAME = /^\S+\.[a-z0-9]{2,5}$/i;

/**
 * Facts of a completed result. `head` is the beginning of its text, for results that keep their chunks in files.
 */
export function factsOfResult(group: WorkGroup, kind: ItemKind, result: ReadResult, head: string): ItemFacts {
  const { document, transcript, media, pages } = result;
  const text = result.content ?? result.chunks?.[0]?.text ?? head;
  const stated = [document?.title, result.video?.title, result.file?.title, pages?.[0]?.title];
  const heading = group === 'read' || group === 'write' ? headingOf(result, head, text) : null;
  const isPage = kind === 'site' && pages?.length === 1;
  return {
    title: stated.map(usableTitle).find((title) => title !== null) ?? usableTitle(heading) ?? firstSentence(text),
    kind: isPage ? 'page' : kind,
    language: document?.language ?? transcript?.language ?? pages?.[0]?.language ?? null,
    pages: document?.pages ?? pages?.length ?? null,
    words: document?.words ?? transcript?.words ?? sumOfWords(pages),
    seconds: media?.durationSeconds ?? result.durationSeconds ?? null,
    excerpt: excerptOf(text),
    peaks: peaksOf(result),
    speakers: namesOf(result.speakers ?? []),
  };
}

/** A number is no name: it is another person in each recording. The narrator of a made sound has none. */
function namesOf(speakers: readonly { name: string | null }[]): string[] {
  const names = speakers.map(({ name }) => oneLine(name ?? ''));
  return [...new Set(names)].filter((name) => name !== '' && !/^Speaker \d+$/.test(name));
}

const EXCERPT_CHARS = 280;

/** The first lines, without marks. */
function excerptOf(text: string): string | null {
  const lines = text.slice(0, EXCERPT_CHARS * 4).split(/\r?\n/);
  const plain = lines.map((line) => oneLine(line.replaceAll(/^[#>\s]+|[*_`|]+/g, ' '))).filter((line) => line !== '');
  return plain.join('\n').slice(0, EXCERPT_CHARS).toWellFormed() || null;
}

const PEAKS_KEPT = 64;

function peaksOf({ analysis }: ReadResult): string | null {
  const peaks = analysis?.peaks ?? [];
  if (peaks.length === 0) return null;
  const parts = Math.min(PEAKS_KEPT, peaks.length);
  const loudest = Array.from({ length: parts }, (_, part) => {
    const [from, to] = [part, part + 1].map((edge) => Math.floor((edge * peaks.length) / parts));
    return Math.round(Math.max(...peaks.slice(from, to)) * 100) / 100;
  });
  return JSON.stringify(loudest);
}

function sumOfWords(pages: ReadResult['pages']): number | null {
  const counted = (pages ?? []).flatMap(({ words }) => (words === undefined ? [] : [words]));
  return counted.length === 0 ? null : counted.reduce((sum, words) => sum + words, 0);
}

function headingOf(result: ReadResult, head: string, text: string): string | null {
  const marked = /^#{1,6}[ \t]+(.+?)[ \t]*#*$/m.exec(head)?.[1] ?? /^#{1,6}[ \t]+(.+?)[ \t]*#*$/m.exec(text)?.[1];
  return marked ?? result.chunks?.[0]?.heading ?? null;
}

/** One line without control characters; null for what names nothing. */
export function usableTitle(stated: string | null | undefined): string | null {
  const line = oneLine(stated ?? '').replace(PROGRAM, '');
  return line === '' || NO_TITLE.test(line) || FILE_NAME.test(line) ? null : line;
}

function oneLine(text: string): string {
  return text
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim()
    .toWellFormed()
    .slice(0, TITLE_CHARS_MAX);
}

const TITLE_CHARS_MAX = 500;

/** The first sentence of a text, at most 60 characters and whole words; null for an empty one. */
export function firstSentence(text: string): string | null {
  const line = oneLine(text.replaceAll(/[#*_`>|]+/g, ' '));
  if (line === '') return null;
  const [sentence] = new Intl.Segmenter(undefined, { granularity: 'sentence' }).segment(line.slice(0, 1000));
  const whole = (sentence?.segment ?? line).trim();
  if (whole.length <= SENTENCE_CHARS_MAX) return whole.replace(/\.$/, '');
  const cut = whole.slice(0, SENTENCE_CHARS_MAX);
  const space = cut.lastIndexOf(' ');
  const words = space > SENTENCE_CHARS_MAX / 2 ? cut.slice(0, space) : cut;
  return `${words.replace(/[\s,;:.]+$/u, '').toWellFormed()} …`;
}

/** `quarterly-report_final.docx` as words. */
export function titleOfFileName(name: string): string | null {
  const words = oneLine(name.replace(/\.[A-Za-z0-9]{1,5}$/, '').replaceAll(/[_\-+]+/g, ' '));
  return words === '' ? null : words;
}
