/**
 * Footnotes of a page: a raised link to a place in the page, and the element there, which comes later. Threat: a page
 * of such links; they are bounded, and past the bound they are text.
 */

const MAX_NOTES = 5000;

const MAX_MARKER_CHARS = 8;

/** Classes, roles and names of links to footnotes, and of places that are footnotes. */
const NOTE_LINK = /(?:^|[\s_-])(?:footnote-?ref(?:erence)?|fnref|noteref|doc-noteref|footnote)(?:[\s_:.-]|\d|$)/i;

const NOTE_PLACE =
  /^(?:user-content-)?(?:_?e?fn|_?f?tn|_?ftn|_?edn|footnote|cite_note|easy-footnote-bottom|sdfootnote)[\w:.-]*$/i;

/** Places to which the way back from a footnote leads. */
const REFERENCE_PLACE = /fn-?ref|ftn-?ref|edn-?ref|cite_ref|footnote-?ref|note\d*anc$/i;

const MARKER = /^[[(]?([\p{L}\p{N}]{1,4}|[*†‡§¶]{1,3})[\])]?$/u;

type Attributes = Readonly<Record<string, string>>;

/** A link that may refer to a footnote, while it is open. */
interface Candidate {
  place: string;
  start: number;
  isRaised: boolean;
  text: string;
}

export class Footnotes {
  readonly #markers = new Map<string, string>();
  readonly #used = new Set<string>();
  /** How often each marker was asked for. */
  readonly #counts = new Map<string, number>();
  #open: Candidate | null = null;

  /** @param start length of the text so far */
  openNoteLink(
    { href = '', class: classes = '', role = '', id = '', rel = '' }: Attributes,
    start: number,
    isRaised: boolean,
  ): void {
    const at = href.indexOf('#');
    this.#open = null;
    if (at === -1 || at === href.length - 1) return;
    const place = href.slice(at + 1);
    if (REFERENCE_PLACE.test(place)) return;
    if (at > 0 && !NOTE_PLACE.test(place)) return;
    const isNamed = [classes, role, id, rel].some((name) => NOTE_LINK.test(name)) || NOTE_PLACE.test(place);
    this.#open = { place, start, isRaised: isRaised || isNamed, text: '' };
  }

  /** The text of the open link is raised, if it is raised from its start. */
  raiseNoteLink(): void {
    if (this.#open?.text.trim() === '') this.#open.isRaised = true;
  }

  addNoteLinkText(text: string): void {
    if (this.#open !== null && this.#open.text.length <= MAX_MARKER_CHARS * 2) this.#open.text += text;
  }

  /** The reference that ends here: where its text starts, and its marker; null if the link is none. */
  closeNoteLink(): { start: number; marker: string } | null {
    const link = this.#open;
    this.#open = null;
    if (link === null || !link.isRaised) return null;
    const own = MARKER.exec(link.text.trim())?.[1];
    if (own === undefined) return null;
    const known = this.#markers.get(link.place);
    if (known !== undefined) return { start: link.start, marker: known };
    if (this.#markers.size >= MAX_NOTES) return null;
    const marker = this.#freeMarker(own);
    this.#markers.set(link.place, marker);
    return { start: link.start, marker };
  }

  /** The marker of the footnote that an element is; null for other elements. */
  noteOfElement({ id, name }: Attributes): string | null {
    if (this.#markers.size === 0) return null;
    return this.#markers.get(id ?? name ?? '') ?? this.#markers.get(name ?? '') ?? null;
  }

  /** The marker of the footnote from which a link leads back; null if it does not. */
  noteOfBackLink({ href = '' }: Attributes): string | null {
    const place = href.slice(href.indexOf('#') + 1);
    return this.#markers.get(place.replace(/[_-]?ref/i, '')) ?? this.#markers.get(place.replace('ref', 'note')) ?? null;
  }

  /** Each section of a page numbers its footnotes from 1; signs are no names. */
  #freeMarker(own: string): string {
    const plain = /^[*†‡§¶]/u.test(own) ? String(this.#used.size + 1) : own;
    let count = (this.#counts.get(plain) ?? 0) + 1;
    let marker = count === 1 ? plain : `${plain}-${count}`;
    for (; this.#used.has(marker); count += 1) marker = `${plain}-${count + 1}`;
    this.#counts.set(plain, count);
    this.#used.add(marker);
    return marker;
  }
}

/** Whether a link leads from a footnote back to its reference. */
export function isBackLink({ href = '' }: Attributes): boolean {
  const at = href.indexOf('#');
  return at !== -1 && REFERENCE_PLACE.test(href.slice(at + 1));
}

const LEADING =
  /^\s*(?:\^|↩|[[(]?([\p{L}\p{N}]{1,4}(?:-\d+)?|[⁰¹²³⁴-⁹]{1,3}|[*†‡§¶]{1,3})[\])]?[.:)]?)(?:\s|(?=\p{Lu}))\s*/u;

/** The length of a footnote's own marker before its text. */
export function markerLength(text: string, marker: string): number {
  const found = LEADING.exec(text.slice(0, MAX_MARKER_CHARS * 2));
  if (found === null) return 0;
  const [whole, own] = found;
  if (own === undefined || own.normalize('NFKC') === marker || /^[*†‡§¶]/u.test(own)) return whole.length;
  return 0;
}
