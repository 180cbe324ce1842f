/**
 * Reads items aloud. A text becomes parts of some minutes; each is spoken into a file of its own, first those that
 * somebody waits for, then the others in their order. The parts of a whole text become one file with marks for its
 * chapters. What was spoken survives a restart, which goes on with the rest.
 */

import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BookChapter, BookCue, PlanReadingOutput, SpokenFacts } from '../../../workers/listen/tasks.ts';
import { type Clock, toIsoTime } from '../../platform/clock.ts';
import type { Storage } from '../../platform/db/database.ts';
import { QuarryError } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import { itemAt } from '../../platform/item-at.ts';
import { omitUndefined } from '../../platform/omit-undefined.ts';
import { parseOwnJson } from '../../platform/own-json.ts';
import type { RunTask } from '../../platform/pool/worker-pool.ts';
import { saidElsewhere, say } from '../../platform/text/say.ts';
import { HOUR_MS, MINUTE_MS } from '../../platform/units.ts';
import type { AudioEngine, Reader } from '../audio/service.ts';
import type { Item } from '../library/schema.ts';
import type { EncodeSound } from '../media/service.ts';
import { type BookFile, BookFile as BookFiles, type Reading, type SpokenPart } from './schema.ts';
import * as store from './store.ts';

const PLAN_LIMIT_MS = 2 * MINUTE_MS;

/** CPU time of one part: minutes of speech of a large voice. */
const PART_LIMIT_MS = 30 * MINUTE_MS;

const BOOK_LIMIT_MS = 2 * HOUR_MS;

/** A part is shorter. */
const PART_SECONDS_MAX = 7200;

/** Some 80 hours of speech. */
const CHARACTERS_MAX = 4_000_000;

/** What tells the language of a text. */
const SAMPLE_CHARS = 2000;

/** As audio books are levelled: no part is louder than another. */
const LOUDNESS = { lufs: -18, truePeakDbtp: -2 };

const ACCOUNT = 'listen';

const PLAN_NAME = 'plan.json';

interface ListeningDeps {
  storage: Storage;
  clock: Clock;
  log: { error(fields: object, message: string): void };
  /** Of the environment. */
  folder: string;
  runTask: RunTask;
  /** Errors: `not_found`. */
  readItem(itemId: string): Item;
  textOf(item: { jobId: string }): Promise<string>;
  audio(): Promise<Pick<AudioEngine, 'readerFor'>>;
  encoder(): Promise<EncodeSound>;
}

/** What is kept of a part in memory; its file has the words. */
type Spoken = Omit<SpokenFacts, 'cues'>;

/** A reading that is worked on. */
interface Work {
  row: store.ReadingRow;
  plan: PlanReadingOutput;
  reader: Reader | null;
  spoken: (Spoken | null)[];
  /** The part that somebody waits for. */
  wanted: number;
  waiting: Map<number, (() => void)[]>;
  stopping: AbortController;
  running: Promise<void>;
}

export class Listening {
  readonly #deps: ListeningDeps;
  /** By reading. */
  readonly #works = new Map<string, Promise<Work>>();
  #isClosing = false;
  /** Raised with every change of what feeds show. */
  changes = 0;

  constructor(deps: ListeningDeps) {
    this.#deps = deps;
  }

  /** Goes on with what was begun, and removes what belongs to items that are gone. */
  async startListening(): Promise<void> {
    for (const row of store.allReadings(this.#deps.storage.db)) {
      const isGone = !(this.#isThere(row.item_id) && (await this.#hasPlan(row)));
      if (isGone) await this.#removeReading(row);
      else if (row.state === 'reading')
        await this.#workOf(row).catch((error: unknown) => this.#noteFailure(row, error));
    }
  }

  async closeListening(): Promise<void> {
    this.#isClosing = true;
    const works = await Promise.allSettled(this.#works.values());
    for (const work of works) {
      if (work.status !== 'fulfilled') continue;
      work.value.stopping.abort(new QuarryError('cancelled', say`The server stops.`));
      await work.value.running;
    }
  }

  /**
   * Begins to read an item, or goes on. Another voice, another pace or another version starts over. Errors:
   * `not_found`, `conflict` for an item without text, `source_too_large`, and those of the voice.
   */
  async beginReading(
    itemId: string,
    { voice, speed }: { voice?: string | undefined; speed: number },
  ): Promise<Reading> {
    const { storage, clock, readItem, textOf, audio } = this.#deps;
    const item = readItem(itemId);
    const known = store.readingOfItem(storage.db, itemId);
    const isSame = known !== undefined && known.job_id === item.jobId && known.speed === speed;
    if (isSame && (voice === undefined || voice === known.voice)) return this.#goOn(known);
    if (item.state !== 'ready') throw new QuarryError('conflict', 'The item has no text yet. Wait until it is read.');
    const text = await textOf(item);
    if (text.length > CHARACTERS_MAX) throw tooLongToRead();
    const plan = await this.#plan(text, item);
    if (plan.characters === 0) throw new QuarryError('conflict', 'The item has no text that can be read aloud.');
    const engine = await audio();
    const reader = await engine.readerFor({ prompt: sampleOf(plan), ...voiceWish(voice, item.language) });
    if (known !== undefined) await this.#removeReading(known);
    const now = clock.now();
    const row: store.ReadingRow = {
      id: newId('rdg'),
      item_id: itemId,
      job_id: item.jobId,
      state: 'reading',
      error_code: null,
      error_message: null,
      voice: reader.voice.slug,
      voice_name: reader.voice.name,
      speed,
      position: 0,
      created_at: now,
      updated_at: now,
    };
    await mkdir(this.#folderOf(row), { recursive: true });
    await writeWhole(join(this.#folderOf(row), PLAN_NAME), JSON.stringify(plan));
    storage.transaction((tx) => store.insertReading(tx, row));
    this.#works.set(row.id, this.#openWork(row, reader));
    return this.#present(row, await this.#workOf(row));
  }

  async #goOn(row: store.ReadingRow): Promise<Reading> {
    if (row.state === 'failed') {
      const change = { state: 'reading', error_code: null, error_message: null } as const;
      this.#change(row, change);
      this.#works.delete(row.id);
    }
    const again = this.#requireReading(row.item_id);
    return this.#present(again, await this.#workOf(again));
  }

  /** Errors: `not_found`. */
  async readingOf(itemId: string): Promise<Reading> {
    const row = this.#requireReading(itemId);
    return this.#present(row, await this.#workOf(row));
  }

  /** Remembers where the owner stopped. Errors: `not_found`. */
  movePosition(itemId: string, seconds: number): void {
    this.#change(this.#requireReading(itemId), { position: Math.round(seconds * 1000) / 1000 });
  }

  /** The words of a part with their times, once it is spoken. Errors: `not_found`, those of the voice. */
  async spokenPart(itemId: string, number: number, signal: AbortSignal): Promise<SpokenPart> {
    const work = await this.#awaitPart(itemId, number, signal);
    const { seconds, cues } = await readFacts(this.#folderOf(work.row), number);
    return { number, seconds, cues };
  }

  /** Path of the sound of a part, once it is spoken. Errors: those of `spokenPart`. */
  async partPath(itemId: string, number: number, signal: AbortSignal): Promise<string> {
    const work = await this.#awaitPart(itemId, number, signal);
    return join(this.#folderOf(work.row), `${partName(number)}.mp3`);
  }

  /** Path of a file of the whole, and the title of the item; null without it. Errors: `not_found`. */
  bookFile(itemId: string, form: BookFile): { path: string; title: string } {
    const row = this.#requireReading(itemId);
    return { path: join(this.#folderOf(row), `book.${form}`), title: this.#deps.readItem(itemId).title };
  }

  /** Errors: `not_found`. */
  async stopReading(itemId: string): Promise<void> {
    await this.#removeReading(this.#requireReading(itemId));
  }

  /** What a podcast app gets: all that is read to its end, the newest first. */
  async finishedBooks(): Promise<{ item: Item; reading: Reading }[]> {
    const books: { item: Item; reading: Reading }[] = [];
    for (const row of store.allReadings(this.#deps.storage.db)) {
      if (row.state !== 'ready' || !this.#isThere(row.item_id)) continue;
      books.push({
        item: this.#deps.readItem(row.item_id),
        reading: await this.#present(row, await this.#workOf(row)),
      });
    }
    return books;
  }

  async #awaitPart(itemId: string, number: number, signal: AbortSignal): Promise<Work> {
    const work = await this.#workOf(this.#requireReading(itemId));
    if (number >= work.plan.parts.length) throw new QuarryError('not_found', 'The reading has no such part.');
    work.wanted = number;
    while (work.spoken[number] === null) {
      const { state, error_code: code, error_message: message } = this.#requireReading(itemId);
      if (state === 'failed')
        throw new QuarryError((code ?? 'engine_failed') as 'engine_failed', saidElsewhere(message ?? ''));
      await waitForPart(work, number, signal);
    }
    return work;
  }

  #plan(text: string, { title, language }: Item): Promise<PlanReadingOutput> {
    const how = { accountId: ACCOUNT, timeLimitMs: PLAN_LIMIT_MS };
    return this.#deps.runTask('plan-reading', { text, title, language }, how);
  }

  #workOf(row: store.ReadingRow): Promise<Work> {
    const known = this.#works.get(row.id);
    if (known !== undefined) return known;
    const opened = this.#openWork(row, null);
    this.#works.set(row.id, opened);
    opened.catch(() => this.#works.delete(row.id));
    return opened;
  }

  async #openWork(row: store.ReadingRow, reader: Reader | null): Promise<Work> {
    const folder = this.#folderOf(row);
    const plan = parseOwnJson<PlanReadingOutput>(await readFile(join(folder, PLAN_NAME), 'utf8'));
    const spoken: (Spoken | null)[] = [];
    for (const number of plan.parts.keys()) spoken.push(await readSpoken(folder, number));
    const work: Work = {
      row,
      plan: row.state === 'ready' ? withoutText(plan) : plan,
      reader,
      spoken,
      wanted: 0,
      waiting: new Map(),
      stopping: new AbortController(),
      running: Promise.resolve(),
    };
    if (row.state === 'reading' && !this.#isClosing) {
      work.running = this.#readToEnd(work).catch((error: unknown) => {
        if (!work.stopping.signal.aborted) this.#noteFailure(row, error);
        for (const waiters of work.waiting.values()) for (const wake of waiters) wake();
      });
    }
    return work;
  }

  async #readToEnd(work: Work): Promise<void> {
    const { signal } = work.stopping;
    work.reader ??= await this.#readerOf(work);
    for (let next = nextPart(work); next !== null; next = nextPart(work)) {
      signal.throwIfAborted();
      work.spoken[next] = await this.#speakPart(work, work.reader, next);
      for (const wake of work.waiting.get(next) ?? []) wake();
      work.waiting.delete(next);
    }
    await this.#writeBook(work);
    work.plan = withoutText(work.plan);
    this.#change(work.row, { state: 'ready' });
    this.changes += 1;
  }

  async #readerOf({ plan, row }: Work): Promise<Reader> {
    const engine = await this.#deps.audio();
    const { language } = this.#deps.readItem(row.item_id);
    return engine.readerFor({ prompt: sampleOf(plan), ...voiceWish(row.voice, language) });
  }

  async #speakPart({ plan, row, stopping }: Work, reader: Reader, number: number): Promise<Spoken> {
    const { paragraphs, chapter } = itemAt(plan.parts, number);
    const folder = this.#folderOf(row);
    const manner = { speaker: 0, speed: row.speed, gainDb: 0, semitones: 0 };
    const input = {
      passages: paragraphs.map((paragraph) => ({ ...paragraph, ...manner })),
      speakers: [reader.speaker],
      reading: reader.reading,
      maxSeconds: PART_SECONDS_MAX,
      endsAnywhere: false,
      includeCaptions: true,
      outputFolder: folder,
      fileName: partName(number),
      title: itemAt(plan.chapters, chapter).title,
      goal: LOUDNESS,
      background: null,
      seed: '',
      // Chapters are those of the plan.
      source: '',
    };
    // Somebody waits for the first part.
    const how = { accountId: ACCOUNT, signal: stopping.signal, timeLimitMs: PART_LIMIT_MS, heavy: number > 0 };
    const sound = await this.#deps.runTask('render-speech', input, how).catch((error: unknown) => {
      // Such as a paragraph in another script.
      if (error instanceof QuarryError && error.code === 'unsupported_media') return null;
      throw error;
    });
    const spoken = await this.#spokenFacts(folder, number, sound, paragraphs.length);
    await writeWhole(join(folder, `${partName(number)}.json`), JSON.stringify(spoken));
    return { seconds: spoken.seconds, unspoken: spoken.unspoken };
  }

  async #spokenFacts(
    folder: string,
    number: number,
    sound: { durationSeconds: number; unspokenRuns: number } | null,
    paragraphs: number,
  ): Promise<SpokenFacts> {
    if (sound === null) return { seconds: 0, cues: [], unspoken: paragraphs };
    const cues = cuesOfSrt(await readFile(join(folder, `${partName(number)}.srt`), 'utf8'));
    for (const ending of ['srt', 'vtt']) await rm(join(folder, `${partName(number)}.${ending}`), { force: true });
    return { seconds: sound.durationSeconds, cues, unspoken: sound.unspokenRuns };
  }

  async #writeBook({ plan, row, spoken, stopping }: Work): Promise<void> {
    const folder = this.#folderOf(row);
    const title = this.#deps.readItem(row.item_id).title;
    const names = spoken.flatMap((one, number) => ((one?.seconds ?? 0) > 0 ? [partName(number)] : []));
    if (names.length === 0) throw new QuarryError('unsupported_media', say`The voice can speak nothing of this text.`);
    const chapters = chapterStarts(plan, spoken).map(
      ({ title, startSeconds }): BookChapter => ({ title, startSeconds: startSeconds ?? 0 }),
    );
    const { signal } = stopping;
    const input = { folder, parts: names, chapters, title };
    const how = { accountId: ACCOUNT, signal, timeLimitMs: BOOK_LIMIT_MS, heavy: true };
    const { hasWave } = await this.#deps.runTask('write-book', input, how);
    if (hasWave) {
      const encode = await this.#deps.encoder();
      const sound = { path: join(folder, 'book.wav'), targetPath: join(folder, 'book.m4b'), format: 'm4b' as const };
      const marks = chapters.map((chapter) => ({ ...chapter, endSeconds: null }));
      await encode({ ...sound, tags: { title, artist: row.voice_name }, chapters: marks }, signal);
    }
    for (const name of [...names, 'book']) await rm(join(folder, `${name}.wav`), { force: true });
  }

  async #present(row: store.ReadingRow, { plan, spoken }: Work): Promise<Reading> {
    const starts = partStarts(spoken);
    const isWhole = spoken.every((one) => one !== null);
    const last = spoken.at(-1)?.seconds ?? 0;
    const error =
      row.error_code === null ? null : { code: row.error_code as 'engine_failed', message: row.error_message ?? '' };
    return {
      itemId: row.item_id,
      jobId: row.job_id,
      state: row.state,
      error,
      voice: { slug: row.voice, name: row.voice_name },
      speed: row.speed,
      chapters: chapterStarts(plan, spoken),
      parts: plan.parts.map(({ chapter }, number) => {
        return { number, chapter, startSeconds: starts[number] ?? null, seconds: spoken[number]?.seconds ?? null };
      }),
      spokenParts: spoken.filter((one) => one !== null).length,
      seconds: isWhole ? roundReadSeconds((starts.at(-1) ?? 0) + last) : null,
      position: row.position,
      leftUnread: plan.leftUnread,
      unspoken: spoken.reduce((sum, one) => sum + (one?.unspoken ?? 0), 0),
      files: row.state === 'ready' ? await this.#filesOf(row) : [],
      createdAt: toIsoTime(row.created_at),
      updatedAt: toIsoTime(row.updated_at),
    };
  }

  async #filesOf(row: store.ReadingRow): Promise<Reading['files']> {
    const sizes = BookFiles.options.map(async (form) => {
      const sizeBytes = await stat(join(this.#folderOf(row), `book.${form}`)).then(
        ({ size }) => size,
        () => null,
      );
      return sizeBytes === null ? [] : [{ form, sizeBytes }];
    });
    return (await Promise.all(sizes)).flat();
  }

  #noteFailure(row: store.ReadingRow, error: unknown): void {
    const isKnown = error instanceof QuarryError;
    if (!isKnown) this.#deps.log.error({ err: error, readingId: row.id }, 'An item could not be read aloud.');
    const [code, message] = isKnown
      ? [error.code, error.message]
      : ['engine_failed', 'The item could not be read aloud.'];
    this.#change(row, { state: 'failed', error_code: code, error_message: message });
  }

  async #removeReading(row: store.ReadingRow): Promise<void> {
    const work = await this.#works.get(row.id)?.catch(() => null);
    this.#works.delete(row.id);
    if (work) {
      work.stopping.abort(new QuarryError('cancelled', say`The reading was removed.`));
      await work.running;
    }
    this.#deps.storage.transaction((tx) => store.deleteReading(tx, row.id));
    this.changes += 1;
    await rm(this.#folderOf(row), { recursive: true, force: true });
  }

  #change(row: store.ReadingRow, change: Parameters<typeof store.changeReading>[2]): void {
    const { storage, clock } = this.#deps;
    storage.transaction((tx) => store.changeReading(tx, row.id, { ...change, updated_at: clock.now() }));
  }

  #requireReading(itemId: string): store.ReadingRow {
    const row = store.readingOfItem(this.#deps.storage.db, itemId);
    if (row !== undefined) return row;
    throw new QuarryError('not_found', 'The item is not read aloud. POST to its reading to begin.');
  }

  #isThere(itemId: string): boolean {
    try {
      return this.#deps.readItem(itemId).deletedAt === null;
    } catch (error) {
      if (error instanceof QuarryError && error.code === 'not_found') return false;
      throw error;
    }
  }

  /** False where the folder was not put back with the database. */
  #hasPlan(row: store.ReadingRow): Promise<boolean> {
    return stat(join(this.#folderOf(row), PLAN_NAME)).then(
      () => true,
      () => false,
    );
  }

  #folderOf({ id }: Pick<store.ReadingRow, 'id'>): string {
    return join(this.#deps.folder, 'readings', id);
  }
}

function voiceWish(voice: string | undefined, language: string | null) {
  return omitUndefined({ voice, language: language ?? undefined });
}

/** The part that is spoken next; null when all are. */
function nextPart({ spoken, wanted }: Work): number | null {
  const later = spoken.findIndex((one, number) => number >= wanted && one === null);
  const next = later === -1 ? spoken.indexOf(null) : later;
  return next === -1 ? null : next;
}

/** Until the part is spoken, or the work ends. */
function waitForPart({ waiting }: Work, number: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const waiters = waiting.get(number) ?? [];
    waiting.set(number, [...waiters, resolve]);
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
}

function tooLongToRead(): QuarryError {
  return new QuarryError('source_too_large', say`The text is longer than 80 hours of speech. Export it in parts.`);
}

/** What tells the language, without what a script would mean by it. */
function sampleOf({ parts }: PlanReadingOutput): string {
  const texts = parts.slice(0, 5).flatMap(({ paragraphs }) => paragraphs.map(({ text }) => text));
  return texts
    .join(' ')
    .replace(/[[\]<>{}:]/g, ' ')
    .slice(0, SAMPLE_CHARS)
    .toWellFormed();
}

function partName(number: number): string {
  return `part-${String(number).padStart(5, '0')}`;
}

async function readFacts(folder: string, number: number): Promise<SpokenFacts> {
  return parseOwnJson<SpokenFacts>(await readFile(join(folder, `${partName(number)}.json`), 'utf8'));
}

/** Null for a part that is not spoken yet. */
function readSpoken(folder: string, number: number): Promise<Spoken | null> {
  return readFacts(folder, number).then(
    ({ seconds, unspoken }) => ({ seconds, unspoken }),
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null;
      throw error;
    },
  );
}

/** What is needed of it once all is spoken. */
function withoutText(plan: PlanReadingOutput): PlanReadingOutput {
  return { ...plan, parts: plan.parts.map(({ chapter }) => ({ chapter, paragraphs: [] })) };
}

async function writeWhole(path: string, text: string): Promise<void> {
  await writeFile(`${path}.part`, text);
  await rename(`${path}.part`, path);
}

/** Where each part begins; null after one that is not spoken. */
function partStarts(spoken: readonly (Spoken | null)[]): (number | null)[] {
  let next: number | null = 0;
  return spoken.map((one) => {
    const start = next;
    next = next === null || one === null ? null : next + one.seconds;
    return start === null ? null : roundReadSeconds(start);
  });
}

function chapterStarts({ chapters, parts }: PlanReadingOutput, spoken: readonly (Spoken | null)[]) {
  const starts = partStarts(spoken);
  return chapters.map(({ title }, index) => {
    return { title, startSeconds: starts[parts.findIndex(({ chapter }) => chapter === index)] ?? null };
  });
}

function roundReadSeconds(seconds: number): number {
  return Math.round(seconds * 1000) / 1000;
}

const CUE = /^(\d+):(\d\d):(\d\d)[,.](\d{3}) --> (\d+):(\d\d):(\d\d)[,.](\d{3})$/;

/** The cues of captions that this server wrote. */
function cuesOfSrt(text: string): BookCue[] {
  return text.split('\n\n').flatMap((block) => {
    const [, times = '', ...lines] = block.trim().split('\n');
    const [, ...parts] = CUE.exec(times)?.map(Number) ?? [];
    if (parts.length < 8) return [];
    const at = (first: number) => {
      const [hours = 0, minutes = 0, seconds = 0, milliseconds = 0] = parts.slice(first, first + 4);
      return hours * 3600 + minutes * 60 + seconds + milliseconds / 1000;
    };
    return [{ start: at(0), end: at(4), text: lines.join(' ') }];
  });
}
