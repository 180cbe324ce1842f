/**
 * Reads test collections of information retrieval, as Glasgow's IR group distributes them: documents, queries and the
 * documents that are relevant for each. Three formats: SMART (`.I`, `.T`, `.W`: CISI, Cranfield, MED), NPL (`doc-text`,
 * `query-text`, `rlv-ass`), and TIME (`TIME.ALL`, `TIME.QUE`, `TIME.REL`).
 */
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

export interface Entry {
  id: number;
  title: string;
  text: string;
}

export interface Collection {
  name: string;
  documents: Entry[];
  /** With the ids of relevant documents. */
  queries: { text: string; relevant: ReadonlySet<number> }[];
}

type Judgements = Map<number, Set<number>>;

/** @param folder of one collection; the names of its files decide its format */
export function readCollection(folder: string): Collection {
  const names = readdirSync(folder);
  const textOf = (part: RegExp) => {
    const name = names.find((one) => part.test(one));
    if (name === undefined) throw new Error(`${folder} has no file ${part}`);
    return readFileSync(join(folder, name), 'latin1');
  };
  const name = basename(folder);
  if (names.includes('doc-text')) {
    const queries = slashEntries(textOf(/^query-text$/));
    return { name, documents: slashEntries(textOf(/^doc-text$/)), queries: judge(queries, npl(textOf(/^rlv-ass$/))) };
  }
  if (names.includes('TIME.ALL')) {
    const queries = starEntries(textOf(/^TIME\.QUE$/), /^\*FIND/);
    return {
      name,
      documents: starEntries(textOf(/^TIME\.ALL$/), /^\*TEXT/),
      queries: judge(queries, rows(textOf(/^TIME\.REL$/))),
    };
  }
  const queries = smartEntries(textOf(/qry$/i));
  return { name, documents: smartEntries(textOf(/all(\.1400)?$/i)), queries: judge(queries, pairs(textOf(/rel$/i))) };
}

function smartEntries(text: string): Entry[] {
  const entries: Entry[] = [];
  let mark = '';
  for (const line of text.split(/\r?\n/)) {
    const id = /^\.I\s+(\d+)/.exec(line)?.[1];
    const begun = /^\.([A-Z])\s*$/.exec(line)?.[1];
    const entry = entries.at(-1);
    if (id !== undefined) entries.push({ id: Number(id), title: '', text: '' });
    if (id !== undefined || begun !== undefined) mark = begun ?? '';
    else if (entry !== undefined && mark === 'T') entry.title += `${line} `;
    else if (entry !== undefined && mark === 'W') entry.text += `${line} `;
  }
  return entries;
}

/** A number on a line, then text up to a slash. */
function slashEntries(text: string): Entry[] {
  return text.split(/^\s*\/\s*$/m).flatMap((part) => {
    const [, id, rest] = /^\s*(\d+)\s*\n([\s\S]*)$/.exec(part) ?? [];
    return id === undefined ? [] : [{ id: Number(id), title: '', text: (rest ?? '').replace(/\s+/g, ' ').trim() }];
  });
}

/** Judgements name the places of TIME's texts, from 1; their own numbers have gaps. */
function starEntries(text: string, begin: RegExp): Entry[] {
  const entries: Entry[] = [];
  for (const line of text.split(/\r?\n/)) {
    if (begin.test(line)) entries.push({ id: entries.length + 1, title: '', text: '' });
    else if (!line.startsWith('*')) {
      const entry = entries.at(-1);
      if (entry !== undefined) entry.text = `${entry.text} ${line.trim()}`.trim();
    }
  }
  return entries.map((entry) => ({ ...entry, text: entry.text.replace(/\s+/g, ' ') }));
}

function addJudgement(judged: Judgements, query: number, document: number): void {
  judged.set(query, (judged.get(query) ?? new Set()).add(document));
}

/** A query and its documents in a line. */
function rows(text: string): Judgements {
  const judged: Judgements = new Map();
  for (const line of text.split('\n')) {
    const [query, ...documents] = line.trim().split(/\s+/).map(Number);
    for (const document of documents) addJudgement(judged, query ?? 0, document);
  }
  return judged;
}

/** A query, its documents, and a slash. */
function npl(text: string): Judgements {
  const judged: Judgements = new Map();
  for (const part of text.split('/')) {
    const [query, ...documents] = part.trim().split(/\s+/).map(Number);
    for (const document of documents) addJudgement(judged, query ?? 0, document);
  }
  return judged;
}

/** A query and a document in a line; TREC's form has a 0 between them. */
function pairs(text: string): Judgements {
  const judged: Judgements = new Map();
  const lines = text.split('\n').map((line) => line.trim().split(/\s+/).map(Number));
  const isTrec = lines.every(([, zero, , grade]) => zero === undefined || (zero === 0 && grade === 1));
  for (const [query, first, second] of lines) {
    const document = isTrec ? second : first;
    if (query !== undefined && document !== undefined) addJudgement(judged, query, document);
  }
  return judged;
}

/** Judgements name queries by their ids; where they name ids that no query has, by their places. */
function judge(queries: readonly Entry[], judged: Judgements): Collection['queries'] {
  const ids = new Set(queries.map(({ id }) => id));
  const isById = [...judged.keys()].every((id) => ids.has(id)) && Math.max(...judged.keys()) > queries.length / 2;
  const isByPlace = queries.length === judged.size || !isById;
  return queries.flatMap(({ id, title, text }, at) => {
    const relevant = judged.get(isByPlace ? at + 1 : id);
    return relevant === undefined ? [] : [{ text: `${title} ${text}`.replace(/\s+/g, ' ').trim(), relevant }];
  });
}
