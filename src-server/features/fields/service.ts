/** Reads the fields of a schema from the chunks of a job, one question to the text model after the other. */

import { writeFile } from 'node:fs/promises';
import type { FieldQuery, Passage } from '../../../workers/fields/tasks.ts';
import { perContext } from '../../context.ts';
import type { JobHandle } from '../../operation.ts';
import type { RunTask } from '../../platform/pool/worker-pool.ts';
import { digestMarkdown } from '../../platform/text/digest-markdown.ts';
import { type Said, say } from '../../platform/text/say.ts';
import { MINUTE_MS } from '../../platform/units.ts';
import type { TextReader } from '../text/schema.ts';
import { textOf } from '../text/service.ts';
import { type Answer, type Checked, checkAnswer, parseModelAnswers } from './answers.ts';
import { DigestReading } from './digest.ts';
import { Prompts } from './prompts.ts';
import {
  DIGEST_FILE,
  type Extracted,
  type ExtractedField,
  type FieldCitation,
  type FieldsService,
  isScalar,
  type Leaf,
  type List,
  type Members,
  type Node,
  readSchema,
} from './schema.ts';

const CHUNKS_FILE = 'chunks.jsonl';

const EXTRACTED_FILE = 'extracted.json';

const RANK_LIMIT_MS = 5 * MINUTE_MS;

/** Share of the progress for the extraction. Reading the fields takes most of the time. */
const EXTRACT_SHARE = 0.3;

/** Questions about one value: each reads other passages. A list has more, because it may be anywhere. */
const PASSES_PER_VALUE = 4;

const PASSES_PER_LIST = 12;

/** A value or a list of the schema. */
interface Question {
  /** Names of the properties, outermost first. */
  path: readonly string[];
  node: Leaf | List;
}

export const fieldsOf = perContext(async (context): Promise<FieldsService> => {
  const { service: text } = await textOf(context);
  const readJobDigest: FieldsService['digest'] = async (source, signal, textModel) =>
    new DigestReading(await text.reader(textModel), source, signal).readDigest(context.pool.run);
  return {
    choose: (...asked) => text.choose(...asked),
    admit: () => text.check(),
    async fill(schema, job, signal, extract) {
      const root = readSchema(schema);
      if ('message' in root) throw new Error(`The schema was accepted with a fault: ${root.message}`);
      // Before the extraction: without a model its work would be lost.
      await text.check();
      const result = await extract(extractionPartOf(job));
      const reading = new FieldReading(await text.reader(job.choices.textModel), job, signal);
      const extracted = await reading.readFieldValues(root, context.pool.run);
      await writeFile(job.files.pathOf(EXTRACTED_FILE), JSON.stringify(extracted, null, 2), { signal });
      return {
        ...result,
        extracted,
        files: [...result.files, { name: EXTRACTED_FILE, url: job.files.urlOf(EXTRACTED_FILE) }],
        warnings: [...result.warnings, ...reading.warnings],
      };
    },
    async summarise(job, signal, extract) {
      await text.check();
      const result = await extract(extractionPartOf(job));
      const { accountId, files } = job;
      const reportDigestShare: JobHandle['progress'] = ({ percent, ...one }) =>
        job.progress({ ...one, percent: 100 * EXTRACT_SHARE + percent * (1 - EXTRACT_SHARE) });
      const { digest, warnings } = await readJobDigest(
        { chunksPath: files.pathOf(CHUNKS_FILE), accountId, progress: reportDigestShare },
        signal,
        job.choices.textModel,
      );
      await writeFile(files.pathOf(DIGEST_FILE), digestMarkdown(digest), { signal });
      return {
        ...result,
        digest,
        files: [...result.files, { name: DIGEST_FILE, url: files.urlOf(DIGEST_FILE) }],
        warnings: [...result.warnings, ...warnings],
      };
    },
    digest: readJobDigest,
  };
});

/** The job as the extraction sees it: its progress is the first part of the whole. */
function extractionPartOf(job: JobHandle): JobHandle {
  const reportExtractionShare: JobHandle['progress'] = (one) =>
    job.progress({ ...one, percent: one.percent * EXTRACT_SHARE });
  return Object.create(job, { progress: { value: reportExtractionShare } });
}

class FieldReading {
  readonly warnings: Said[] = [];
  readonly #reader: TextReader;
  readonly #job: JobHandle;
  readonly #signal: AbortSignal;
  readonly #prompts: Prompts;
  #passes = 0;

  constructor(reader: TextReader, job: JobHandle, signal: AbortSignal) {
    this.#reader = reader;
    this.#job = job;
    this.#signal = signal;
    this.#prompts = new Prompts(reader);
  }

  async readFieldValues(root: Members, runTask: RunTask): Promise<Extracted> {
    const questions = questionsOf(root, []);
    const { passages, ranked, left } = await runTask(
      'rank-passages',
      {
        chunksPath: this.#job.files.pathOf(CHUNKS_FILE),
        queries: questions.map((question) => ({
          ...queryOf(question),
          charactersMax: this.#prompts.expectedChars * passesOf(question),
        })),
        wholeCharactersMax: this.#prompts.expectedChars,
      },
      { signal: this.#signal, accountId: this.#job.accountId, timeLimitMs: RANK_LIMIT_MS },
    );
    const found = new Map<string, Checked[]>();
    for (const [index, question] of questions.entries()) {
      this.#reportFieldProgress(index, questions.length, question);
      found.set(
        pointerOf(question.path),
        await this.#askedAnswersOf(question, passages, ranked[index] ?? [], left[index] ?? 0),
      );
    }
    const fields: ExtractedField[] = [];
    const data = assembleFieldTree(root, [], found, fields) as Record<string, unknown>;
    return { data, fields, model: this.#reader.model, passes: this.#passes };
  }

  async #askedAnswersOf(question: Question, passages: readonly Passage[], ranked: number[], left: number) {
    const { node } = question;
    // The items of a list stay in the order of the text.
    const order = node.kind === 'list' ? ranked.toSorted((one, other) => one - other) : ranked;
    const all = await this.#prompts.groupsOf(order.flatMap((at) => passages[at] ?? []));
    const groups = all.slice(0, passesOf(question));
    const isAll = left === 0 && groups.length === all.length;
    const answers =
      node.kind === 'leaf'
        ? await this.#readLeafValue(question, node, groups)
        : await this.#readListValue(question, node, groups);
    if (!isAll && (node.kind === 'list' || answers.length === 0)) {
      this.#warnAboutQuestion(question, 'Only the passages that match it best were read.');
    }
    return answers;
  }

  /** The first answer with a source; later groups are less relevant. */
  async #readLeafValue(question: Question, leaf: Leaf, groups: readonly Passage[][]): Promise<Checked[]> {
    let fault: string | null = null;
    for (const group of groups) {
      for (const answer of await this.#askFieldModel(question, group)) {
        const checked = checkAnswer(answer, leaf, group);
        if (typeof checked === 'string') fault ??= checked;
        else if (checked !== null) return [checked];
      }
    }
    if (fault !== null) this.#warnAboutQuestion(question, fault);
    return [];
  }

  async #readListValue(question: Question, list: List, groups: readonly Passage[][]): Promise<Checked[]> {
    const items = new Map<string, Checked>();
    let dropped = 0;
    for (const group of groups) {
      for (const answer of await this.#askFieldModel(question, group)) {
        const checked = checkAnswer(answer, list.item, group);
        if (typeof checked === 'string') dropped += 1;
        // The same words in the same chunk are the same item.
        else if (checked !== null) items.set(JSON.stringify([checked.value, checked.citation]), checked);
      }
    }
    if (dropped > 0)
      this.#warnAboutQuestion(question, `Items left out, because the text does not state them: ${dropped}.`);
    if (items.size > list.maxItems)
      this.#warnAboutQuestion(
        question,
        `Only the first ${list.maxItems === 1 ? 'item is' : `${list.maxItems} items are`} listed.`,
      );
    return [...items.values()].slice(0, list.maxItems);
  }

  async #askFieldModel(question: Question, group: readonly Passage[]): Promise<Answer[]> {
    const { path, node } = question;
    const text = await this.#reader.ask(await this.#prompts.questionOf(path, node, group), this.#signal);
    this.#passes += 1;
    const answers = parseModelAnswers(text, node.kind === 'list');
    if (answers !== null) return answers;
    this.#warnAboutQuestion(question, 'An answer of the text model was incomplete or no JSON.');
    return [];
  }

  #warnAboutQuestion({ path }: Question, sentence: string): void {
    const warning = say`${path.join('.')}: ${sentence}`;
    if (!this.warnings.includes(warning)) this.warnings.push(warning);
  }

  #reportFieldProgress(index: number, count: number, { path }: Question): void {
    const percent = 100 * (EXTRACT_SHARE + (1 - EXTRACT_SHARE) * (index / count));
    this.#job.progress({ percent, stage: 'reading-fields', message: say`Reading ${path.join('.')}` });
  }
}

function questionsOf({ members }: Members, path: readonly string[]): Question[] {
  return members.flatMap(([name, node]) => {
    const at = [...path, name];
    return node.kind === 'object' ? questionsOf(node, at) : [{ path: at, node }];
  });
}

function passesOf({ node }: Question): number {
  return node.kind === 'list' ? PASSES_PER_LIST : PASSES_PER_VALUE;
}

function queryOf({ path, node }: Question): Omit<FieldQuery, 'charactersMax'> {
  const leaves = node.kind === 'leaf' ? [node] : leavesOf(node.item);
  const names = [...path, ...(node.kind === 'list' ? fieldNamesOf(node.item) : [])];
  const about = [
    ...names.map((name) => name.replace(/(\p{Ll})(?=\p{Lu})/gu, '$1 ')),
    ...[node.about, ...leaves.flatMap((leaf) => [leaf.about, ...(leaf.choices ?? []).map(String)])],
  ];
  const hasDigits = leaves.some(({ type, format }) => type === 'number' || type === 'integer' || format !== undefined);
  return { about: about.join(' '), hasDigits };
}

function leavesOf(node: Node): Leaf[] {
  if (node.kind === 'leaf') return [node];
  return node.kind === 'list' ? leavesOf(node.item) : node.members.flatMap(([, one]) => leavesOf(one));
}

function fieldNamesOf(node: Node): string[] {
  return node.kind === 'object' ? node.members.flatMap(([name, one]) => [name, ...fieldNamesOf(one)]) : [];
}

/** The data of a node. Lists every single value in `fields`. */
function assembleFieldTree(
  node: Node,
  path: readonly string[],
  found: ReadonlyMap<string, readonly Checked[]>,
  fields: ExtractedField[],
): unknown {
  if (node.kind === 'object') {
    return Object.fromEntries(
      node.members.map(([name, one]) => [name, assembleFieldTree(one, [...path, name], found, fields)]),
    );
  }
  const answers = found.get(pointerOf(path)) ?? [];
  if (node.kind === 'leaf') {
    const [answer] = answers;
    assembleFieldList(fields, path, answer?.value ?? null, answer?.citation);
    return answer?.value ?? null;
  }
  return answers.map(({ value, citation }, index) => {
    listAll(fields, [...path, String(index)], value, citation);
    return value;
  });
}

function listAll(fields: ExtractedField[], path: readonly string[], value: unknown, citation: FieldCitation): void {
  if (typeof value !== 'object' || value === null) {
    assembleFieldList(fields, path, value, citation);
    return;
  }
  for (const [name, one] of Object.entries(value)) listAll(fields, [...path, name], one, citation);
}

function assembleFieldList(
  fields: ExtractedField[],
  path: readonly string[],
  value: unknown,
  citation: FieldCitation | undefined,
): void {
  const citations = value === null || citation === undefined ? [] : [citation];
  fields.push({ path: pointerOf(path), value: isScalar(value) ? value : null, citations });
}

/** A JSON Pointer (RFC 6901). */
function pointerOf(path: readonly string[]): string {
  return path.map((name) => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}
