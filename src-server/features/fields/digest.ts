/**
 * Digests of talks: title, summary, chapters and action items. The text model reads the chunks in groups that fit its
 * context and names the passages of each sentence. A sentence whose passages have none of its words is left out.
 */

import { z } from 'zod';
import type { Passage } from '../../../workers/fields/tasks.ts';
import { itemAt } from '../../platform/item-at.ts';
import { omitUndefined } from '../../platform/omit-undefined.ts';
import type { RunTask } from '../../platform/pool/worker-pool.ts';
import { type Said, say } from '../../platform/text/say.ts';
import { MINUTE_MS } from '../../platform/units.ts';
import type { TextReader } from '../text/schema.ts';
import { contentWords, itemsOf, sharesContent } from './answers.ts';
import { objectOf, Prompts } from './prompts.ts';
import { DIGEST_LIMITS, type Digest, type DigestSource } from './schema.ts';

const STAGE = 'summarising';

const READ_LIMIT_MS = 5 * MINUTE_MS;

const TEXT_CHARS_MAX = 300;

const TITLE_CHARS_MAX = 100;

const WHO_CHARS_MAX = 60;

const SOURCES_MAX = 3;

/** Items of one answer. */
const SENTENCES_PER_GROUP = 5;

const CHAPTERS_PER_GROUP = 8;

const ACTION_ITEMS_PER_GROUP = 10;

const ANSWER_TOKENS_MAX = 1500;

const ItemSchema = z.object({
  passages: z.array(z.number()),
  text: z.string(),
  who: z.string().nullish(),
});

/** A passage of a talk, or a sentence about some. */
type Spoken = Passage & { seconds: number };

/** A sentence whose words are in its sources. */
interface Statement {
  text: string;
  who: string | null;
  /** In the order of the talk. */
  sources: Spoken[];
}

interface Request {
  task: string;
  textChars: number;
  itemsMax: number;
  sourcesMax: number;
  asksWho?: boolean;
}

const ANSWER =
  'Answer in JSON: "items" has one entry for each, in order, with "passages": the numbers of the passages that state ' +
  'it, and "text"';
const RULES = 'Use the words and the language of the passages, and state nothing that they do not say.\n';

function sentenceRequest(itemsMax: number): Request {
  const task =
    `Summarise the passages in at most ${itemsMax} sentences: the most important statements, each in one short ` +
    `sentence.\n${ANSWER}: the sentence. ${RULES}`;
  return { task, textChars: TEXT_CHARS_MAX, itemsMax, sourcesMax: SOURCES_MAX };
}

const CHAPTERS: Request = {
  task:
    'Divide the passages into chapters: list each passage where a new subject begins, the first one included.\n' +
    `${ANSWER}: a title of two to six words for what follows. ${RULES}`,
  textChars: TITLE_CHARS_MAX,
  itemsMax: CHAPTERS_PER_GROUP,
  sourcesMax: 1,
};

const ACTION_ITEMS: Request = {
  task:
    'List the action items: tasks that somebody promises or is asked to do after the talk. Most passages have none.\n' +
    `${ANSWER}: the task in one sentence, and "who": the person who does it, else null. ${RULES}`,
  textChars: TEXT_CHARS_MAX,
  itemsMax: ACTION_ITEMS_PER_GROUP,
  sourcesMax: 1,
  asksWho: true,
};

const TITLE: Request = {
  task: `Give the talk that these passages summarise a title of three to ten words.\n${ANSWER}: the title. ${RULES}`,
  textChars: TITLE_CHARS_MAX,
  itemsMax: 1,
  sourcesMax: SOURCES_MAX,
};

export class DigestReading {
  readonly #reader: TextReader;
  readonly #source: DigestSource;
  readonly #signal: AbortSignal;
  readonly #prompts: Prompts;
  #passes = 0;
  #dropped = 0;
  #broken = 0;

  constructor(reader: TextReader, source: DigestSource, signal: AbortSignal) {
    this.#reader = reader;
    this.#source = source;
    this.#signal = signal;
    this.#prompts = new Prompts(reader);
  }

  async readDigest(runTask: RunTask): Promise<{ digest: Digest; warnings: Said[] }> {
    const passages = await this.#readSpokenPassages(runTask);
    const groups = await this.#prompts.groupsOf(passages);
    const perGroup = groups.length === 1 ? DIGEST_LIMITS.sentences : SENTENCES_PER_GROUP;
    const found: Record<'summary' | 'chapters' | 'actionItems', Statement[]> = {
      summary: [],
      chapters: [],
      actionItems: [],
    };
    for (const [index, group] of groups.entries()) {
      this.#reportDigestProgress(index / (groups.length + 1), say`Summarising part ${index + 1} of ${groups.length}`);
      found.summary.push(...(await this.#askDigestModel(sentenceRequest(perGroup), group)));
      found.chapters.push(...(await this.#askDigestModel(CHAPTERS, group)));
      found.actionItems.push(...(await this.#askDigestModel(ACTION_ITEMS, group)));
    }
    this.#reportDigestProgress(groups.length / (groups.length + 1), say`Joining the parts`);
    const summary = await this.#condenseSaid(found.summary);
    const titles = await this.#giveChapterTitles(summary);
    const endSeconds = Math.max(0, ...passages.map(({ seconds, endSeconds: end = seconds }) => end));
    const digest = {
      title: titles[0]?.text ?? null,
      summary: summary.map(({ text, sources }) => ({
        text,
        startSeconds: spokenStartOf(sources),
        chunkIds: [...new Set(sources.map(({ chunkId }) => chunkId))],
      })),
      chapters: digestChaptersOf(found.chapters, endSeconds),
      actionItems: actionItemsOf(found.actionItems, passages),
      model: this.#reader.model,
      passes: this.#passes,
    };
    return { digest, warnings: this.#digestWarnings(found.actionItems.length) };
  }

  async #readSpokenPassages(runTask: RunTask): Promise<Spoken[]> {
    const { chunksPath, accountId } = this.#source;
    const all = Number.POSITIVE_INFINITY;
    const { passages } = await runTask(
      'rank-passages',
      { chunksPath, queries: [{ about: '', hasDigits: false, charactersMax: all }], wholeCharactersMax: all },
      { signal: this.#signal, accountId, timeLimitMs: READ_LIMIT_MS },
    );
    // The text of slides follows the words in the file.
    return passages.filter(isSpoken).toSorted((one, other) => one.seconds - other.seconds);
  }

  /** The most important sentences of all groups: these are passages of the next question, until they are few. */
  async #condenseSaid(all: Statement[]): Promise<Statement[]> {
    let summary = all;
    while (summary.length > DIGEST_LIMITS.sentences) {
      const groups = await this.#prompts.groupsOf(summary.map(passageOf));
      const share = Math.min(DIGEST_LIMITS.sentences, Math.floor(summary.length / groups.length / 2));
      const fewer: Statement[] = [];
      for (const group of groups) {
        fewer.push(...(await this.#askDigestModel(sentenceRequest(Math.max(1, share)), group, sourcesIn(summary))));
      }
      // Without an answer, or where every group has one sentence, the model cannot shorten it further.
      const isShorter = fewer.length > 0 && fewer.length < summary.length;
      summary = isShorter ? fewer : spreadEvenly(summary, DIGEST_LIMITS.sentences);
    }
    return summary.toSorted((one, other) => spokenStartOf(one.sources) - spokenStartOf(other.sources));
  }

  async #giveChapterTitles(summary: readonly Statement[]): Promise<Statement[]> {
    const [group] = await this.#prompts.groupsOf(summary.map(passageOf));
    return group === undefined ? [] : this.#askDigestModel(TITLE, group, sourcesIn(summary));
  }

  /** @param sourcesOf the chunks behind a passage */
  async #askDigestModel(
    { task, textChars, itemsMax, sourcesMax, asksWho = false }: Request,
    group: readonly Spoken[],
    sourcesOf: (passage: Spoken) => readonly Spoken[] = (passage) => [passage],
  ): Promise<Statement[]> {
    const digestAnswerShape = (count: number) => digestShapeOf({ count, textChars, itemsMax, sourcesMax, asksWho });
    const maxTokens = Math.min(ANSWER_TOKENS_MAX, this.#prompts.listTokens);
    const question = await this.#prompts.fittedQuestion({ task, shape: digestAnswerShape, maxTokens }, group);
    const answer = itemsOf(await this.#reader.ask(question, this.#signal), ItemSchema);
    this.#passes += 1;
    if (answer === null) this.#broken += 1;
    return (answer ?? []).slice(0, itemsMax).flatMap(({ passages, text, who }) => {
      const sources = passages.flatMap((number) => {
        const passage = group[number - 1];
        return passage === undefined ? [] : sourcesOf(passage);
      });
      const said = saidOf(text, who ?? null, sources);
      if (said === null) this.#dropped += 1;
      return said ?? [];
    });
  }

  #digestWarnings(actionItems: number): Said[] {
    const most = DIGEST_LIMITS.actionItems;
    const dropped = say`Sentences of the text model were left out, because the talk does not have their words:
      ${this.#dropped}.`;
    const warnings = [
      ...(this.#dropped > 0 ? [dropped] : []),
      ...(this.#broken > 0 ? [say`Answers of the text model were incomplete or no JSON: ${this.#broken}.`] : []),
      ...(actionItems > most ? [say`Only the first ${most} action items are listed.`] : []),
    ];
    return warnings.map((sentence) => say`digest: ${sentence}`);
  }

  #reportDigestProgress(share: number, message: Said): void {
    this.#source.progress({ percent: 100 * share, stage: STAGE, message });
  }
}

function isSpoken(passage: Passage): passage is Spoken {
  return passage.seconds !== null;
}

interface Shape {
  count: number;
  textChars: number;
  itemsMax: number;
  sourcesMax: number;
  asksWho: boolean;
}

function digestShapeOf({ count, textChars, itemsMax, sourcesMax, asksWho }: Shape): object {
  const numbers = Array.from({ length: count }, (_, index) => index + 1);
  const who = { oneOf: [{ type: 'null' }, { type: 'string', maxLength: WHO_CHARS_MAX }] };
  const items = objectOf({
    passages: { type: 'array', items: { enum: numbers }, minItems: 1, maxItems: sourcesMax },
    text: { type: 'string', minLength: 1, maxLength: textChars },
    ...omitUndefined({ who: asksWho ? who : undefined }),
  });
  return objectOf({ items: { type: 'array', items, maxItems: itemsMax } });
}

/** The sentence with the sources that have words of it; null without any. */
function saidOf(text: string, who: string | null, all: readonly Spoken[]): Statement | null {
  const line = text.trim().replace(/\s+/g, ' ');
  const sources = [...new Set(all)].filter((source) => sharesContent(line, contentWords(source.text)));
  if (sources.length === 0 || line.length > 2 * TEXT_CHARS_MAX) return null;
  return { text: line, who, sources: sources.toSorted((one, other) => one.seconds - other.seconds) };
}

function spokenStartOf(sources: readonly Spoken[]): number {
  return sources[0]?.seconds ?? 0;
}

/** A sentence as a passage of another question. */
function passageOf({ text, sources }: Statement): Spoken {
  const [first] = sources;
  return { chunkId: first?.chunkId ?? '', page: 1, seconds: first?.seconds ?? 0, text };
}

/** The chunks behind the passages that `passageOf` made. */
function sourcesIn(summary: readonly Statement[]) {
  return ({ text, seconds }: Spoken): readonly Spoken[] =>
    summary.find((said) => said.text.includes(text) && spokenStartOf(said.sources) === seconds)?.sources ?? [];
}

/** So many of the sentences, at equal distances. */
function spreadEvenly<Item>(all: readonly Item[], count: number): Item[] {
  return Array.from({ length: count }, (_, index) => itemAt(all, Math.floor((index * all.length) / count)));
}

/** Ascending and without gaps, from the start of the talk to its end. */
export function digestChaptersOf(found: readonly Statement[], endSeconds: number): Digest['chapters'] {
  const starts = found
    .map(({ text, sources }) => ({ title: text, startSeconds: spokenStartOf(sources) }))
    .toSorted((one, other) => one.startSeconds - other.startSeconds);
  const kept: typeof starts = [];
  for (const one of starts) {
    if (kept.length === 0) kept.push({ ...one, startSeconds: 0 });
    else if (isLongEnough(kept.at(-1)?.startSeconds ?? 0, one.startSeconds, endSeconds)) kept.push(one);
  }
  const lengthAt = (index: number) => (kept[index + 1]?.startSeconds ?? endSeconds) - (kept[index]?.startSeconds ?? 0);
  while (kept.length > DIGEST_LIMITS.chapters) {
    // The first one begins the talk.
    const rest = kept.map((_, index) => index).slice(1);
    kept.splice(
      rest.reduce((least, index) => (lengthAt(index) < lengthAt(least) ? index : least)),
      1,
    );
  }
  return kept.map((one, index) => ({ ...one, endSeconds: kept[index + 1]?.startSeconds ?? endSeconds }));
}

function isLongEnough(before: number, start: number, end: number): boolean {
  return start - before >= DIGEST_LIMITS.chapterSeconds && end - start >= DIGEST_LIMITS.chapterSeconds;
}

/** @param passages of the talk, with its speakers */
function actionItemsOf(found: readonly Statement[], passages: readonly Spoken[]): Digest['actionItems'] {
  const speakers = new Set(passages.flatMap(({ speaker }) => speaker ?? []));
  const items = new Map<string, Digest['actionItems'][number]>();
  for (const { text, who, sources } of found) {
    const name = who?.trim() ?? '';
    const isNamed = name !== '' && sources.some((source) => source.text.toLowerCase().includes(name.toLowerCase()));
    items.set(text, { text, who: speakers.has(name) || isNamed ? name : null, startSeconds: spokenStartOf(sources) });
  }
  return [...items.values()]
    .toSorted((one, other) => one.startSeconds - other.startSeconds)
    .slice(0, DIGEST_LIMITS.actionItems);
}
