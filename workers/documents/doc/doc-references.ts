import type { DocumentComment } from '../../tasks.ts';
import { readDttm } from '../word-dates.ts';
import { type DocFile, readPlc, TABLES } from './word-file.ts';

const COMMENT_BYTES = 30;
const COMMENT_DATE_BYTES = 18;
const NOTE_BYTES = 2;
const MAX_ANCHOR_CHARACTERS = 2000;
/** What stands between the mark that begins a field and the one that parts it from its result. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: fields are marked by control characters.
const FIELD_INSTRUCTION = /\u0013[^\u0014\u0015]*\u0014?/g;

/** A place in the body that refers to a note or a comment, whose own text lies from `from` to `to`. */
export interface DocReference {
  at: number;
  kind: 'footnote' | 'endnote' | 'comment';
  marker: string;
  from: number;
  to: number;
  /** Comments only; the text is read where the comment stands. */
  comment: Omit<DocumentComment, 'text'> | null;
}

/** Every reference of the body, in its order. Notes are counted here, since most are numbered by themselves. */
export function readReferences(file: DocFile): DocReference[] {
  const { lengths } = file;
  const notesAt = lengths.body;
  const commentsAt = notesAt + lengths.notes + lengths.headers;
  const endnotesAt = commentsAt + lengths.comments;
  const notes = [
    ...readNotes(file, 'footnote', TABLES.noteRefs, TABLES.noteTexts, notesAt),
    ...readNotes(file, 'endnote', TABLES.endnoteRefs, TABLES.endnoteTexts, endnotesAt),
  ].sort((one, other) => one.at - other.at);
  for (const [index, note] of notes.entries()) note.marker = String(index + 1);
  return [...notes, ...readComments(file, commentsAt)].sort((one, other) => one.at - other.at);
}

function readNotes(file: DocFile, kind: DocReference['kind'], refs: number, texts: number, base: number) {
  const ranges = readPlc(file.table(texts), 0);
  return readPlc(file.table(refs), NOTE_BYTES).map(({ from: at }, index): DocReference => {
    const range = ranges[index];
    return { at, kind, marker: '', from: base + (range?.from ?? 0), to: base + (range?.to ?? 0), comment: null };
  });
}

function readComments(file: DocFile, base: number): DocReference[] {
  const authors = readStrings(file.table(TABLES.commentAuthors));
  const dates = file.table(TABLES.commentDates);
  const ranges = readPlc(file.table(TABLES.commentTexts), 0);
  const anchors = readAnchors(file);
  return readPlc(file.table(TABLES.commentRefs), COMMENT_BYTES).map(({ from: at, data }, index): DocReference => {
    const dateAt = index * COMMENT_DATE_BYTES;
    const comment = {
      author: authors[data.readUInt16LE(20)] ?? null,
      date: dateAt + 4 <= dates.length ? readDttm(dates.readUInt32LE(dateAt)) : null,
      anchor: anchors.get(data.readInt32LE(26)) ?? null,
    };
    const range = ranges[index];
    const from = base + (range?.from ?? 0);
    return { at, kind: 'comment', marker: '', from, to: base + (range?.to ?? 0), comment };
  });
}

/** The text comments are attached to, by the tag a comment has. */
function readAnchors(file: DocFile): Map<number, string> {
  const anchors = new Map<number, string>();
  const ends = readPlc(file.table(TABLES.commentEnds), 0);
  const tags = file.table(TABLES.commentTags);
  for (const [index, { from, data }] of readPlc(file.table(TABLES.commentStarts), 4).entries()) {
    // Six bytes of head, then for each an empty string (its length only) and ten bytes, in which the tag stands.
    const tagAt = 6 + index * 12 + 4;
    const to = ends[data.readUInt16LE(0)]?.from ?? lastPlace(file.table(TABLES.commentEnds));
    if (tagAt + 4 > tags.length || to <= from) continue;
    const text = file.text.slice(from, Math.min(to, from + MAX_ANCHOR_CHARACTERS));
    anchors.set(tags.readInt32LE(tagAt), text.replace(FIELD_INSTRUCTION, ''));
  }
  return anchors;
}

function lastPlace(table: Buffer): number {
  return table.length < 4 ? 0 : table.readUInt32LE(table.length - 4);
}

/** Strings with their length before them, one after another. */
function readStrings(table: Buffer): string[] {
  const strings: string[] = [];
  for (let at = 0; at + 2 <= table.length; ) {
    const end = at + 2 + table.readUInt16LE(at) * 2;
    strings.push(table.toString('utf16le', at + 2, end));
    at = end;
  }
  return strings;
}

/** Names of those who changed the document, in the order in which the text refers to them. */
export function readRevisionAuthors(file: DocFile): string[] {
  // A mark, the count and the size of what follows each string (nothing), two bytes each.
  return readStrings(file.table(TABLES.revisionAuthors).subarray(6));
}
