/**
 * An index of generated chunks, as the product makes it, and a plain FTS5 table of the same texts. Words come as often
 * as their rank says (Zipf), as in any language, and the most frequent are those of English.
 */
import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { INDEX_MIGRATIONS } from '../src-server/features/search/migrations.ts';
import { TopicWriter } from '../src-server/features/search/topic-writer.ts';
import { storedForms } from '../src-server/features/search/vectors.ts';
import { indexedWordsOf } from '../src-server/features/search/words.ts';
import { openStorage, type Storage } from '../src-server/platform/db/database.ts';
import type { TaskContext } from '../src-server/platform/pool/worker-pool.ts';
import { fitTopics } from '../workers/text/fit-topics.ts';

export const OWNER = 'owner';
export const SMALL_ACCOUNTS = 20;
export const DIMENSIONS = 384;
export const EMBEDDER = 1;

const WORDS_PER_CHUNK = 80;
const CHUNKS_PER_JOB = 500;
const BATCH = 5000;
const SOURCES = 50;
const FIRST_DAY = Date.UTC(2026, 0, 1);
const DAY_MS = 86_400_000;

/** Jobs of a million chunks are spread over a year. */
function dayOf(job: number): string {
  return new Date(FIRST_DAY + ((job * 365) / 2000) * DAY_MS).toISOString().slice(0, 10);
}

const MOST_FREQUENT = [
  'the of and to a in is it you that he was for on are with as i his they be at one have this from or',
  'had by hot but some what there we can out other were all your when up use word how said an each she',
  'which do their time if will way about many then them would write like so these her long make thing',
  'see him two has look more day could go come did my sound no most number who over know water than',
  'call first people may down side been now find',
]
  .join(' ')
  .split(' ');
const VOCABULARY = Array.from({ length: 60_000 }, (_, rank) => MOST_FREQUENT[rank] ?? coined(rank));

let state = 1;
function random(): number {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return state / 2 ** 32;
}

export function word(): string {
  return VOCABULARY[Math.floor(Math.exp(random() * Math.log(VOCABULARY.length)))] ?? '';
}

const NUMBERS = Array.from({ length: 1_000_000 }, () => random() - 0.5);

/** A direction in space: a random cut of random numbers, since making each anew would take minutes. */
export function randomVector(): number[] {
  const from = Math.floor(random() * (NUMBERS.length - DIMENSIONS));
  return NUMBERS.slice(from, from + DIMENSIONS);
}

function coined(rank: number): string {
  let name = '';
  for (let rest = rank + 700; rest > 0; rest = Math.floor(rest / 20)) {
    name += 'bcdfghjklmnpqrstvwxz'.charAt(rest % 20) + 'aeiou'.charAt(rest % 5);
  }
  return name;
}

/** Half of the jobs are the owner's; the rest is shared out. */
export function accountOf(job: number): string {
  return job % 2 === 0 ? OWNER : `account ${job % SMALL_ACCOUNTS}`;
}

/** Leaves `search.db` and `plain.db` in the folder. Gives back the CPU seconds that each took, and the vectors. */
export async function buildIndexes(
  folder: string,
  chunks: number,
): Promise<Record<'ours' | 'plain' | 'vectors' | 'topics', number>> {
  const path = join(folder, 'search.db');
  (await openStorage(path, { migrations: INDEX_MIGRATIONS })).close();
  const ours = new SqliteDatabase(path);
  const plain = new SqliteDatabase(join(folder, 'plain.db'));
  for (const database of [ours, plain]) database.pragma('synchronous = OFF');
  plain.exec("create virtual table plain using fts5 (text, tokenize = 'porter unicode61 remove_diacritics 2')");
  const insertPlain = plain.prepare('insert into plain (text) values (?)');
  const insertOurs = ourInsert(ours);
  const seconds = { ours: 0, plain: 0, vectors: 0, topics: 0 };
  const timed = (name: keyof typeof seconds, work: () => void) => {
    const begun = cpuSeconds();
    work();
    seconds[name] += cpuSeconds() - begun;
  };
  for (let done = 0; done < chunks; done += BATCH) {
    const texts = Array.from({ length: BATCH }, () => Array.from({ length: WORDS_PER_CHUNK }, word).join(' '));
    timed(
      'ours',
      ours.transaction(() => {
        for (const [index, text] of texts.entries()) insertOurs(done + index, text);
      }),
    );
    timed(
      'plain',
      plain.transaction(() => {
        for (const text of texts) insertPlain.run(text);
      }),
    );
  }
  timed('vectors', () => insertVectors(ours, chunks));
  ours.close();
  plain.close();
  const begun = cpuSeconds();
  await learnTopics(path);
  seconds.topics = cpuSeconds() - begun;
  return seconds;
}

/** Of this process so far. Unlike time that passes, it does not depend on what else the machine does. */
export function cpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

/** Gives every account topics, and every chunk its vector of them. */
async function learnTopics(path: string): Promise<void> {
  const storage = await openStorage(path, { migrations: INDEX_MIGRATIONS });
  await learnAll(storage);
  storage.close();
}

/** Does what the server does in the background until nothing is left. Returns the CPU seconds that learning took. */
export async function learnAll(storage: Storage): Promise<number> {
  const writer = new TopicWriter(storage, storage.db);
  const context = { signal: new AbortController().signal, progress: () => undefined } as unknown as TaskContext;
  let seconds = 0;
  for (let step = writer.stepTopics(); step !== 'done'; step = writer.stepTopics()) {
    if (step === 'more') continue;
    const sample = await writer.sampleAccountTerms(step.fit);
    const begun = cpuSeconds();
    writer.keepLearnedTopics(fitTopics(sample, context));
    seconds += cpuSeconds() - begun;
  }
  return seconds;
}

function ourInsert(database: SqliteDatabase.Database): (number: number, text: string) => void {
  const chunk = database.prepare(`insert into search_chunks
    (account_id, job_id, job_type, chunk_id, kind, language, page, heading, url, text, embedded_by)
    values (?, ?, ?, ?, 'text', 'en', 1, ?, ?, ?, ${EMBEDDER})`);
  const index = database.prepare('insert into search_text (rowid, scope, heading, body) values (?, ?, ?, ?)');
  const facts = database.prepare(`insert into search_facts (seq, job_type, kind, source, day)
    values (?, ?, 'text', ?, ?)`);
  return (number, text) => {
    const job = Math.floor(number / CHUNKS_PER_JOB);
    const [account_id, job_id, job_type] = [accountOf(job), `job ${job}`, job % 3 === 0 ? 'extract/doc' : 'crawl'];
    const heading = `${word()} ${word()} ${word()}`;
    const words = indexedWordsOf({ account_id, job_id, job_type, kind: 'text', language: 'en', heading, text });
    const source = `site-${job % SOURCES}.example`;
    const url = `http://${source}/${number}`;
    const { lastInsertRowid } = chunk.run(account_id, job_id, job_type, `chunk ${number}`, heading, url, text);
    facts.run(lastInsertRowid, job_type, source, dayOf(job));
    index.run(lastInsertRowid, words.scope, words.heading, words.body);
  };
}

function insertVectors(database: SqliteDatabase.Database, chunks: number): void {
  const signature = database.prepare(`insert into search_signatures
    select account_id, seq, ${EMBEDDER}, ?, job_type, kind, language from search_chunks where seq = ?`);
  const vector = database.prepare(`insert into search_vectors values (?, ${EMBEDDER}, ?)`);
  database.transaction(() => {
    database.prepare('insert into search_embedders (id, model) values (?, ?)').run(EMBEDDER, 'random');
    for (let seq = 1; seq <= chunks; seq += 1) {
      const { bits, bytes } = storedForms(randomVector());
      signature.run(bits, seq);
      vector.run(seq, bytes);
    }
  })();
}
