/**
 * Who wrote a page: its statements and its byline. Only people are authors; the names of sites, offices and agencies
 * are none. Threat: a page of bylines; they are bounded.
 */

const MAX_BYLINES = 60;

const MAX_TEXT_CHARS = 150;

const MAX_AUTHORS = 5;

/** In elements of their own. */
const MAX_AUTHORS_APART = 4;

const MAX_NAME_CHARS = 45;

const MAX_NAME_WORDS = 5;

/** Text between the names of one byline is at most this long: `and`, a comma, a sign. */
const MAX_GAP_CHARS = 12;

/** Classes that mark an author's name, or a byline. */
const AUTHOR_CLASS =
  /(?:^|[\s_-]|entry|post)(?:authors?|autor(?:es|en|in)?|auteurs?|autores|byline|verfasser)(?:$|[\s_-])/i;

const AUTHOR_ADDRESS = /\/(?:authors?|autor(?:en|es|in)?|auteurs?|contributors?|creator|redakteure?)\/[^/]+\/?$/i;

/** Boxes whose bylines are those of other texts. */
const OTHER_TEXTS = new RegExp(
  '(?:^|\\s)(?:comments?(?:-(?:list|area|section))?|commentlist|respond|disqus\\w*|related[\\w-]*|sidebar|' +
    'widget-area)(?:\\s|$)',
  'i',
);

/** A byline that says what was written, and by whom. */
const EXPLICIT_BY = new RegExp(
  '^[\\s|]*(?:eine?\\s+|an?\\s+)?(?:(?:blog|gast)[\\s-]?)?(?:artikel|beitrag|kommentar|standpunkt|interview|' +
    'rezension|essay|bericht|reportage|analyse|article|commentary|review|report|guest post)\\s+(?:von|by)(?:\\s+|$)',
  'i',
);

/** A byline in words. */
const WRITTEN_BY = /^[\s|]*(?:von|by|par|por|text(?:o| von|:)|autor(?:in)?\s?:|author\s?:|auteur\s?:)(?:\s+|$)/i;

const LABELS = new RegExp(
  '^(?:(?:geschrieben|erstellt|veröffentlicht|eingestellt|gepostet|verfasst|written|posted|published|publicado|' +
    'escrito|作者|责任编辑|编辑|记者|撰文|文|著者|執筆|publié|autor(?:in|en)?|authors?|auteurs?|text[eo]?|interview|story|' +
    'im wortlaut von|vo[nm]|by|par|por|door|przez|av)(?!\\p{Ll})[\\s:：／/]*)+',
  'iu',
);

/** Some templates quote what they state. */
const QUOTED = /^(['"])(.*)\1$/s;

/** Where a name ends: at a date, a separator, an office. */
const NAME_END = /\s*(?:[|•·–—(@/]|\s-\s|\d|,?\s+(?:am|on|um|le|el|in|aus|für|from|for|at|bei)\s).*$/su;

const TITLES_AFTER = /^(?:ph\.?\s?d\.?|m\.?d\.?|m\.?a\.?|msc|jr\.?|sr\.?|dpa|afp|ap|sid|apa|efe|reuters)$/i;

const SEPARATOR = /\s*(?:,|;|\s+und\s+|\s+and\s+|\s+et\s+|\s+y\s+|\s+e\s+|&|\+)\s*/i;

/** Words of names that are none of a person. */
const NO_PERSON_WORDS = [
  'redaktion\\w*|redac\\w+|redação|redakcja|editor(?:s|ial|ial team)?|staff|team|admin\\w*|news\\w*|agenc\\w+',
  'agentur\\w*|authors?|autor\\w*|kommentar\\w*|comments?|anonym\\w*|gmbh|ag|ev|inc|ltd|llc|press\\w*|magazine?',
  'zeitung|online|verlag|media|medien|blog\\w*|desk|reports?|reporters?|dpa|afp|reuters|ap|efe|ansa|apa|sid|epd|kna',
  'jiji|stiftung|\\w*verein|\\w*bund|\\w*verband|google|instituto?|universi\\w+|foundation|group|company|corp',
  'network|tv|radio|fernsehen|journal|times|post|posts|über|about|mehr|more|alle|all|view|profile?|follow|share',
  'login|artikel|beitr\\w+|gast\\w*|guest|sponsored|support|service|international|deutschland|collecti\\w+',
  'kollektiv|experten?|experts?|minutes?|date|written|published|updated',
].join('|');

/** Such words, words that begin no name, and an acronym before a word. */
const NO_PERSON = new RegExp(
  '^(?:the|der|die|das|el|los|las|les|für|by|von|vom|l)\\s|^\\p{Lu}{3,}\\s+\\p{Lu}\\p{Ll}|' +
    `(?:^|[\\s.-])(?:${NO_PERSON_WORDS})(?=$|[\\s.:-])`,
  'u',
);

const NAME = /^\p{L}[\p{L}\p{M}.'’‘`-]*(?:\s+[\p{L}][\p{L}\p{M}.'’‘`-]*)*$/u;

/** Small words within names. */
const PARTICLE = /^(?:von|van|de|der|den|del|della|di|da|dos|du|la|le|zu|zur|bin|al|el|ibn|y|e|af|av|ten|ter)$/i;

type Attributes = Readonly<Record<string, string>>;

/** How an element marks its text as a name: the least is the most certain. */
const RANK = { name: 0, stated: 1, marked: 2, explicit: 3, written: 4 } as const;

interface Byline {
  rank: number;
  depth: number;
  text: string;
  /** Text between the byline before and this one. */
  gap: number;
}

/** Collects the bylines of a page while its tags pass. */
export class BylineReader {
  readonly #found: Byline[] = [];
  readonly #open: Byline[] = [];
  #otherDepth = 0;
  #gap = 0;
  /** The rank of the byline in words whose name follows. */
  #nextRank: number | null = null;

  openBylineTag(tag: string, attributes: Attributes, depth: number): void {
    const { class: classes, id, itemprop, rel, href } = attributes;
    const isBare = classes === undefined && id === undefined && rel === undefined && href === undefined;
    if ((isBare && itemprop === undefined && tag !== 'byline') || this.#otherDepth > 0) return;
    if (tag === 'body' || tag === 'html' || this.#found.length + this.#open.length >= MAX_BYLINES) return;
    if ((classes !== undefined && OTHER_TEXTS.test(classes)) || (id !== undefined && OTHER_TEXTS.test(id))) {
      this.#otherDepth = depth;
      return;
    }
    if (tag === 'meta') {
      const isName =
        itemprop === 'author' || (itemprop === 'name' && this.#open.some(({ rank }) => rank === RANK.stated));
      if (isName) this.#found.push({ rank: RANK.name, depth, text: attributes.content ?? '', gap: this.#gap });
      return;
    }
    const rank = this.#rankOf(tag, attributes);
    if (rank === null) return;
    this.#open.push({ rank, depth, text: '', gap: this.#gap });
  }

  get hasBylines(): boolean {
    return this.#found.length > 0;
  }

  addBylineText(text: string): void {
    if (this.#otherDepth > 0) return;
    for (const byline of this.#open) if (byline.text.length <= MAX_TEXT_CHARS) byline.text += text;
    if (this.#gap <= MAX_GAP_CHARS && this.#found.length > 0) this.#gap += text.trim().length;
    if (this.#open.length > 0 || text.length > MAX_TEXT_CHARS || text.length < 2) return;
    if (this.#nextRank !== null && text.trim() !== '') {
      this.#keepWritten(text, this.#nextRank);
      this.#nextRank = null;
      return;
    }
    const pattern = EXPLICIT_BY.test(text) ? EXPLICIT_BY : WRITTEN_BY;
    if (!pattern.test(text)) return;
    const rank = pattern === EXPLICIT_BY ? RANK.explicit : RANK.written;
    const rest = text.replace(pattern, '');
    if (rest.trim() === '') this.#nextRank = rank;
    else this.#keepWritten(rest, rank);
  }

  closeBylineTag(depth: number): void {
    if (this.#otherDepth === depth) this.#otherDepth = 0;
    while (this.#open.at(-1)?.depth === depth) {
      const byline = this.#open.pop();
      if (byline === undefined || byline.text.length > MAX_TEXT_CHARS || byline.text.trim() === '') continue;
      this.#found.push(byline);
      this.#gap = 0;
    }
  }

  /** The people of the most certain byline. `sites`: names of the site, which are none. */
  bylineAuthors(sites: ReadonlySet<string>, maxRank: number): string[] {
    for (let rank = 0; rank <= maxRank; rank += 1) {
      const ranked = this.#found.filter((byline) => byline.rank === rank);
      for (const [at, first] of ranked.entries()) {
        const names = peopleIn(first.text, sites, rank <= RANK.stated);
        if (names.length === 0) continue;
        const others: string[] = [];
        for (const next of ranked.slice(at + 1)) {
          if (next.gap > MAX_GAP_CHARS) break;
          others.push(...peopleIn(next.text, sites, false));
        }
        // More names in a row are a list of the site's authors.
        return differentNames(others.length < MAX_AUTHORS_APART ? [...names, ...others] : names);
      }
    }
    return [];
  }

  #keepWritten(text: string, rank: number): void {
    if (this.#found.length < MAX_BYLINES) this.#found.push({ rank, depth: 0, text, gap: Number.POSITIVE_INFINITY });
  }

  #rankOf(tag: string, { class: classes, rel, itemprop, href }: Attributes): number | null {
    if (itemprop !== undefined) {
      if (itemprop === 'author' || itemprop === 'creator') return RANK.stated;
      if (itemprop === 'name' && this.#open.length > 0) return RANK.name;
    }
    if (tag === 'link') return null;
    if (rel !== undefined && /(?:^|\s)author(?:\s|$)/.test(rel)) return RANK.stated;
    if (tag === 'a' && href !== undefined && AUTHOR_ADDRESS.test(href)) return RANK.stated;
    if (tag === 'byline' || (classes !== undefined && AUTHOR_CLASS.test(classes))) return RANK.marked;
    if (classes !== undefined && this.#open.length > 0 && /(?:^|\s)fn(?:\s|$)/.test(classes)) return RANK.stated;
    return null;
  }
}

/** The greatest rank of a byline that an element states. */
export const STATED_RANK = RANK.stated;

export const ANY_RANK = RANK.written;

/** The names of people in the text of a byline. A single word is a name only where it is stated as one. */
export function peopleIn(text: string, sites: ReadonlySet<string>, isStated: boolean): string[] {
  const line = text.replace(/\s+/g, ' ').trim().replace(QUOTED, '$2');
  if (line.length > MAX_TEXT_CHARS || /https?:|www\.|@|\[at\]/i.test(line)) return [];
  const [, last = line] = /^.*\s(?:by|par|por)\s+(?=\p{Lu})(.*)$/su.exec(line) ?? [];
  const names = last.replace(LABELS, '').trim().replace(NAME_END, '').trim();
  const parts = names.split(SEPARATOR).filter((part) => part !== '' && !TITLES_AFTER.test(part));
  if (parts.length === 0 || parts.length > MAX_AUTHORS) return [];
  const people = parts.filter((part) => isPerson(part, sites, isStated));
  return people.length === parts.length ? people : people.slice(0, isPerson(parts[0] ?? '', sites, isStated) ? 1 : 0);
}

function isPerson(name: string, sites: ReadonlySet<string>, isStated: boolean): boolean {
  if (name.length < 2 || name.length > MAX_NAME_CHARS || !NAME.test(name)) return false;
  const words = name.split(' ');
  if (NO_PERSON.test(name) || NO_PERSON.test(name.toLowerCase())) return false;
  if (sites.has(nameKey(name))) return false;
  if (words.length > MAX_NAME_WORDS) return false;
  const capitals = words.filter((word) => /^\p{Lu}/u.test(word)).length;
  const small = words.filter((word) => !/^\p{Lu}/u.test(word) && !PARTICLE.test(word)).length;
  if (words.length === 1) return /^\p{Lo}{2,8}$/u.test(name) || (isStated && /^\p{L}{4,}$/u.test(name));
  if (isStated && capitals >= 1 && /^\p{Lu}/u.test(name) && small <= 1) return true;
  return (capitals >= 2 && small === 0) || /^[\p{Lo}\s]+$/u.test(name);
}

/** Letters of a name, for comparison. */
export function nameKey(name: string): string {
  return name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
}

export function differentNames(names: readonly string[]): string[] {
  const byKey = new Map(names.map((name) => [nameKey(name), name]));
  return [...byKey.values()].slice(0, MAX_AUTHORS);
}
