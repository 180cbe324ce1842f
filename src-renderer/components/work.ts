/** The kinds of work, their names in words, and their icons. An operation's id is never a title. */
import type { Job } from '../api/generated/public.ts';
import type { IconName } from './icon.tsx';

export type Kind = 'read' | 'transcribe' | 'crawl' | 'speak' | 'compose' | 'write' | 'search' | 'other';

interface KindWords {
  icon: IconName;
  /** "Read a document": the name of the intent. */
  intent: string;
  /** One sentence below the intent. */
  about: string;
  /** "Document": what the job made, in a list. */
  noun: string;
  /** "Documents": in a legend or a total. */
  plural: string;
  /** "Reading": while it runs. */
  doing: string;
  /** "will be read": a file of this kind that is about to be dropped. */
  willBe: string;
}

export const KINDS: Readonly<Record<Kind, KindWords>> = {
  read: {
    icon: 'file-text',
    intent: 'Read a document',
    about: 'PDF, Word, slides or scans, to clean text',
    noun: 'Document',
    plural: 'Documents',
    doing: 'Reading',
    willBe: 'will be read',
  },
  transcribe: {
    icon: 'captions',
    intent: 'Transcribe',
    about: 'A video or recording, to words with times',
    noun: 'Talk',
    plural: 'Talks',
    doing: 'Transcribing',
    willBe: 'will be transcribed',
  },
  crawl: {
    icon: 'globe',
    intent: 'Crawl a site',
    about: 'The pages of a site, to text you can search',
    noun: 'Crawl',
    plural: 'Crawls',
    doing: 'Crawling',
    willBe: 'will be crawled',
  },
  speak: {
    icon: 'speech',
    intent: 'Speak',
    about: 'Your text, read aloud',
    noun: 'Speech',
    plural: 'Speech',
    doing: 'Speaking',
    willBe: 'will be spoken',
  },
  compose: {
    icon: 'music-4',
    intent: 'Compose',
    about: 'A piece of music, from a description',
    noun: 'Music',
    plural: 'Music',
    doing: 'Composing',
    willBe: 'will be composed',
  },
  write: {
    icon: 'pen-line',
    intent: 'Write',
    about: 'Text from a local model',
    noun: 'Writing',
    plural: 'Writing',
    doing: 'Writing',
    willBe: 'will be written',
  },
  search: {
    icon: 'search',
    intent: 'Search',
    about: 'Everything read so far',
    noun: 'Search',
    plural: 'Searches',
    doing: 'Searching',
    willBe: 'will be searched',
  },
  other: {
    icon: 'webhook',
    intent: 'Add a webhook',
    about: 'An address that receives the events of jobs',
    noun: 'Webhook',
    plural: 'Other',
    doing: 'Running',
    willBe: 'will be sent',
  },
};

/** The kinds that the Run page offers, in their order there. */
export const INTENTS = ['read', 'transcribe', 'crawl', 'speak', 'compose', 'write', 'search'] as const;

const KIND_OF_OPERATION: Readonly<Record<string, Kind>> = {
  'extract/doc': 'read',
  'extract/pdf': 'read',
  'extract/video': 'transcribe',
  'extract/hosted-video': 'transcribe',
  crawl: 'crawl',
  'generate/audio': 'speak',
  'generate/text': 'write',
  search: 'search',
};

/** The kind of an operation. `generate/audio` is speech, unless a job says that it makes music. */
export function kindOfOperation(operationId: string | null): Kind {
  return KIND_OF_OPERATION[operationId ?? ''] ?? 'other';
}

const OPERATION_NAMES: Readonly<Record<string, string>> = {
  'extract/doc': 'Read a document',
  'extract/pdf': 'Read a PDF',
  'extract/video': 'Transcribe a recording',
  'extract/hosted-video': 'Transcribe a video page',
  crawl: 'Crawl a site',
  'generate/audio': 'Speak or compose',
  'generate/text': 'Write',
  search: 'Search',
  webhooks: 'Add a webhook',
};

/** An operation in words, for prices and payments. */
export function operationName(operationId: string | null): string {
  return operationId === null ? '–' : (OPERATION_NAMES[operationId] ?? operationId);
}

/** Kinds in the order of a plot's layers. Sums by operation hold the speech and the music of one operation together. */
export const WORK_KINDS = ['read', 'transcribe', 'crawl', 'speak', 'write', 'search', 'other'] as const;

/** "Documents", "Speech and music": a kind in sums by operation. */
export function workName(kind: Kind): string {
  return kind === 'speak' ? 'Speech and music' : KINDS[kind].plural;
}

interface KindFacts extends Pick<Job, 'jobType' | 'result'> {
  /** From the job's record or the list. */
  variant?: string | null | undefined;
}

export function kindOf({ jobType, result, variant }: KindFacts): Kind {
  const kind = kindOfOperation(jobType);
  const made = variant ?? result?.kind;
  return kind === 'speak' && (made === 'music' || made === 'soundscape') ? 'compose' : kind;
}

/** The operation that an intent runs. */
export function operationOf(kind: (typeof INTENTS)[number]): string {
  const operations = {
    read: 'extract/doc',
    transcribe: 'extract/video',
    crawl: 'crawl',
    speak: 'generate/audio',
    compose: 'generate/audio',
    write: 'generate/text',
    search: 'search',
  };
  return operations[kind];
}
