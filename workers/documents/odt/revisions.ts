import type { DocumentChange, DocumentComment } from '../../../src-server/features/documents/schema.ts';
import type { DocumentBuilder } from '../document-builder.ts';
import { markComment, markDeletion } from '../revisions.ts';
import { TextRecorder } from '../word-processing.ts';

/** Author and date from `dc:creator` and `dc:date` of a comment or change. */
export interface Stamp {
  author: string | null;
  date: string | null;
}

/** Collects comments and tracked changes while an OpenDocument text is walked. */
export class OdtRevisions {
  readonly #builder: DocumentBuilder;
  /** Names of comments that span text; other comments have a single position. */
  readonly #ranged: ReadonlySet<string>;
  readonly #comments: DocumentComment[] = [];
  readonly #regions = new Map<string, DocumentChange>();
  readonly #spanning = new Map<string, DocumentComment>();
  readonly #anchors = new TextRecorder();
  readonly #insertions = new TextRecorder();

  constructor(builder: DocumentBuilder, ranged: ReadonlySet<string>) {
    this.#builder = builder;
    this.#ranged = ranged;
  }

  get isInserting(): boolean {
    return this.#insertions.isRecording;
  }

  /** Adds document text to the open comments and insertions. */
  seeDocumentText(text: string): void {
    this.#anchors.recordText(text);
    this.#insertions.recordText(text);
  }

  addRegion(id: string, change: DocumentChange): void {
    this.#regions.set(id, change);
  }

  /** Returns the marked text of a deletion at its place if deletions are kept. */
  placeDeletion(id: string): string {
    const change = this.#regions.get(id);
    if (change?.kind !== 'deletion') return '';
    this.#builder.addChange(change);
    return markDeletion(change.text);
  }

  /** Starts the insertion with this id; false if there is none. */
  beginInsertion(id: string): boolean {
    const isInsertion = this.#regions.get(id)?.kind === 'insertion';
    if (isInsertion) this.#insertions.beginRecording(id);
    return isInsertion;
  }

  /** Ends the insertion with this id; false if it is not open. */
  endInsertion(id: string): boolean {
    const text = this.#insertions.endRecording(id);
    const change = this.#regions.get(id);
    if (text === null || change === undefined) return false;
    this.#builder.addChange({ ...change, text });
    return true;
  }

  /** Adds a comment and returns its mark; returns nothing if the mark follows at the end of the comment's range. */
  addOdtComment(name: string | null, stamp: Stamp, text: string): string {
    const comment: DocumentComment = { ...stamp, text, anchor: null };
    this.#comments.push(comment);
    if (name === null || !this.#ranged.has(name)) return markComment(comment.author, comment.text);
    this.#spanning.set(name, comment);
    this.#anchors.beginRecording(name);
    return '';
  }

  endComment(name: string): string {
    const comment = this.#spanning.get(name);
    if (comment === undefined) return '';
    this.#spanning.delete(name);
    comment.anchor = this.#anchors.endRecording(name);
    return markComment(comment.author, comment.text);
  }

  finishRevisions(): void {
    for (const id of this.#insertions.openIds) this.endInsertion(id);
    this.takeComments();
  }

  /** Adds the comments read so far to the document, and returns them. */
  takeComments(): DocumentComment[] {
    const comments = this.#comments.splice(0);
    for (const comment of comments) this.#builder.addDocumentComment(comment);
    return comments;
  }
}
