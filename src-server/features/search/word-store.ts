/**
 * The words of the index's chunks, of all accounts together: what a query's word may be the beginning of, a form of, or
 * a part of. A word that is found here only says what the full-text index is asked for; the scopes of a search decide
 * what is found.
 */

import { sql } from 'kysely';
import type { Db, Storage, Tx } from '../../platform/db/database.ts';
import { prepareQuery } from '../../platform/db/prepared.ts';
import { latinLanguagesOf, mayCompound, type Stem, stemsOf } from './stems.ts';
import { foldWord, isUnspaced, phraseOf, wordsIn } from './words.ts';

/** A longer run of letters is data. */
const CHARS_MAX = 32;

/** A shorter word has no parts that could be asked for. */
const COMPOUND_CHARS_MIN = 8;

const PART_CHARS_MIN = 4;

/** Between small and capital letters: "Java" is not the beginning of "JavaScript", but another name. */
const HUMP = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})/gu;

interface ChunkWords {
  text: string;
  heading?: string | null | undefined;
  language?: string | null | undefined;
}

const insertTerms = prepareQuery<{ terms: string }>()(
  (_db, of) => sql`
    insert into search_words (term, humps) select value ->> 0, value ->> 1 from json_each(${of('terms')}) where true
    on conflict (term) do update set humps = '' where humps != '' and excluded.humps = ''`,
);

const insertStems = prepareQuery<{ stems: string }>()(
  (_db, of) => sql`
    insert or ignore into search_stems (language, stem, term)
    select value ->> 0, value ->> 1, value ->> 2 from json_each(${of('stems')})`,
);

const insertCompounds = prepareQuery<{ terms: string }>()(
  (_db, of) => sql`
    insert into search_compounds (rowid, term) select id, term from search_words
    where term in (select value from json_each(${of('terms')})) and not is_compound`,
);

const markCompounds = prepareQuery<{ terms: string }>()(
  (_db, of) => sql`
    update search_words set is_compound = 1
    where term in (select value from json_each(${of('terms')})) and not is_compound`,
);

/** Words that an open index is known to have, by the languages that they were met in. */
const kept = new WeakMap<Db, Map<string, Set<string>>>();

/** Bounds the memory; most texts have the same words. */
const KEPT_MAX = 200_000;

/** Words that are new to the index. */
interface NewWords {
  /** With the places of their humps. */
  terms: Map<string, string>;
  stems: [language: string, stem: string, term: string][];
  /** Terms that may have parts. */
  compounds: Set<string>;
}

/** Words of the chunks of an open transaction: one statement for all of them costs less than one for each. */
const collected = new WeakMap<Db, NewWords>();

/** A transaction that may insert chunks: what it has kept is forgotten if it fails. */
export function writeWithWords({ db, transaction }: Storage, work: (tx: Tx) => void): void {
  const words: NewWords = { terms: new Map(), stems: [], compounds: new Set() };
  try {
    transaction((tx) => {
      collected.set(db, words);
      work(tx);
      writeWords(tx, words);
    });
  } catch (error) {
    kept.delete(db);
    throw error;
  } finally {
    collected.delete(db);
  }
}

function writeWords(tx: Tx, { terms, stems, compounds }: NewWords): void {
  // In the order of the tables, so that neighbours share a page.
  if (terms.size > 0) tx.runStatement(insertTerms({ terms: JSON.stringify([...terms].sort(byFirst)) }));
  if (stems.length > 0) tx.runStatement(insertStems({ stems: JSON.stringify(stems.sort()) }));
  if (compounds.size === 0) return;
  const long = JSON.stringify([...compounds]);
  tx.runStatement(insertCompounds({ terms: long }));
  tx.runStatement(markCompounds({ terms: long }));
}

function byFirst([one]: readonly [string, string], [other]: readonly [string, string]): number {
  return one < other ? -1 : 1;
}

/** The words known in these languages. */
function keptWords(db: Db, languages: string): Set<string> {
  const known = kept.get(db);
  const count = [...(known?.values() ?? [])].reduce((sum, words) => sum + words.size, 0);
  const all = known === undefined || count >= KEPT_MAX ? new Map<string, Set<string>>() : known;
  kept.set(db, all);
  const words = all.get(languages) ?? new Set();
  all.set(languages, words);
  return words;
}

/** Keeps the words of a chunk; in a transaction of `writeWithWords`, at its end. */
export function insertChunkWords(tx: Tx, chunk: ChunkWords): void {
  const words = collected.get(tx);
  if (words !== undefined) {
    collectWords(tx, chunk, words);
    return;
  }
  const own: NewWords = { terms: new Map(), stems: [], compounds: new Set() };
  collectWords(tx, chunk, own);
  writeWords(tx, own);
}

function collectWords(tx: Tx, { text, heading, language }: ChunkWords, { terms, stems, compounds }: NewWords): void {
  const words = wordsIn(`${heading ?? ''} ${text}`);
  const languages = latinLanguagesOf(words, language ?? null);
  const known = keptWords(tx, languages.join());
  const isCompounding = mayCompound(languages);
  for (const word of words) {
    if (known.has(word) || word.length > CHARS_MAX || isUnspaced(word)) continue;
    known.add(word);
    const term = foldWord(word);
    const humps = word === term ? '' : Array.from(word.matchAll(HUMP), ({ index }) => index).join();
    if (humps === '' || !terms.has(term)) terms.set(term, humps);
    if (isCompounding && humps === '' && term.length >= COMPOUND_CHARS_MIN) compounds.add(term);
    for (const { language: of, stem } of stemsOf(word, languages)) stems.push([of, stem, term]);
  }
}

/** Those of the words that the index has. */
export function knownTerms(db: Db, terms: readonly string[]): Set<string> {
  const rows = db.queryAll(sql<{ term: string }>`
    select term from search_words where term in (select value from json_each(${JSON.stringify(terms)}))`);
  return new Set(rows.map(({ term }) => term));
}

/** Languages of the stems. */
export function stemLanguages(db: Db): string[] {
  const rows = db.queryAll(sql<{ language: string | null }>`
    with recursive of (language) as (
      select min(language) from search_stems
      union all select (select min(language) from search_stems where language > of.language) from of
      where of.language is not null
    ) select language from of where language is not null`);
  return rows.flatMap(({ language }) => language ?? []);
}

/** Words with the same stem in the same language. */
export function termsOfStems(db: Db, stems: readonly Stem[], most: number): string[] {
  const asked = JSON.stringify(stems.map(({ language, stem }) => [language, stem]));
  const rows = db.queryAll(sql<{ term: string }>`
    select distinct s.term from json_each(${asked}) as asked
    join search_stems as s on s.language = asked.value ->> 0 and s.stem = asked.value ->> 1
    order by length(s.term), s.term limit ${most}`);
  return rows.map(({ term }) => term);
}

/** Words that begin like this one, at most `most`. A number does not go on in digits. */
export function termsStarting(db: Db, start: string, most: number): string[] {
  const rows = db.queryAll(sql<{ term: string; humps: string }>`
    select term, humps from search_words where term > ${start} and term < ${`${start}\u{10ffff}`} limit ${most}`);
  const goesOn = (term: string, humps: string) =>
    !humps.split(',').includes(String(start.length)) && !/^\d\d/.test(term.slice(start.length - 1));
  return rows.flatMap(({ term, humps }) => (goesOn(term, humps) ? [term] : []));
}

/** Endings that stand behind a part at the end of a compound, or join it with the next part. */
const PART_ENDING = /^(?:e|n|s|en|er|es|em|ern|et|ens|ets|ene|erne|enes)?$/;

const PART_CHARS_REST = 3;

/** How a part may begin in languages with compounds, behind a letter that joins it. */
const PART_BEGINNING = new RegExp(
  `^(?:en|er|es|s|n)?(?:${[
    'b[jlr]?|ch[lr]?|dr?|f[jlr]?|g[lnr]?|h[jv]?|j|k[jlnrv]?|[lmr]|n|p[fhs]?[lr]?|qu|s|sch[lmnrw]?|s[hjklmnv]',
    'spr?|str?|t[hrv]?|vr?|wr?|x|zw?',
  ].join('|')})?[aeiouy]`,
);

/** Compounds with this part, the shortest first. */
export function termsWithPart(db: Db, part: string, most: number): string[] {
  if (part.length < PART_CHARS_MIN) return [];
  const rows = db.queryAll(sql<{ term: string }>`
    select w.term from search_compounds as c join search_words as w on w.id = c.rowid
    where search_compounds match ${phraseOf(part)} order by length(w.term), w.term limit ${most}`);
  return rows.flatMap(({ term }) => (hasPart(term, part) ? [term] : []));
}

/** Whether what stands before and behind the part may be parts too: "land" is one of "Landkreis", not of "Gelände". */
function hasPart(term: string, part: string): boolean {
  const isRest = (rest: string) => rest.length >= PART_CHARS_REST && /[aeiouy]/.test(rest);
  for (let at = term.indexOf(part); at !== -1; at = term.indexOf(part, at + 1)) {
    const [before, behind] = [term.slice(0, at), term.slice(at + part.length)];
    const isEnd = PART_ENDING.test(behind) || (isRest(behind) && PART_BEGINNING.test(behind));
    if (isEnd && (before === '' || (isRest(before) && PART_BEGINNING.test(part)))) return true;
  }
  return false;
}

/** Words of chunks that are gone are looked for from the start on. */
export function queueWordSweep(tx: Tx): void {
  tx.runStatement(sql`update search_words_state set swept = ''`);
}

/**
 * Deletes words that no chunk has any more, some of those that were not looked for yet. Returns false where all were.
 */
export function sweepWords({ db, transaction }: Storage, batch: number): boolean {
  const state = db.queryOne(sql<{ swept: string | null }>`select swept from search_words_state`);
  if (state.swept === null) return false;
  const rows = db.queryAll(sql<{ id: number; term: string }>`
    select id, term from search_words where term > ${state.swept} order by term limit ${batch}`);
  const gone = rows.filter(({ term }) => {
    const match = sql<{
      one: number;
    }>`select 1 as one from search_text where search_text match ${phraseOf(term)} limit 1`;
    return wordsIn(term).length > 0 && db.queryFirst(match) === undefined;
  });
  transaction((tx) => {
    const ids = JSON.stringify(gone.map(({ id }) => id));
    const terms = JSON.stringify(gone.map(({ term }) => term));
    tx.runStatement(sql`delete from search_compounds where rowid in
      (select id from search_words where is_compound and id in (select value from json_each(${ids})))`);
    tx.runStatement(sql`delete from search_stems where term in (select value from json_each(${terms}))`);
    tx.runStatement(sql`delete from search_words where id in (select value from json_each(${ids}))`);
    tx.runStatement(sql`update search_words_state set swept = ${rows.at(-1)?.term ?? null}`);
  });
  if (gone.length > 0) kept.delete(db);
  return true;
}

/** Chunks of an index that an earlier version has made, whose words are not kept yet, at most `batch`. */
export function chunksWithoutWords(db: Db, batch: number): { seq: number }[] {
  return db.queryAll(sql<{ seq: number }>`
    select seq from search_chunks, search_words_state
    where seq > read_to and seq <= read_last order by seq limit ${batch}`);
}

export function noteWordsRead(tx: Tx, seq: number): void {
  tx.runStatement(sql`update search_words_state set read_to = ${seq}`);
}
