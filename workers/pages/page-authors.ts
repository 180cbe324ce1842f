/**
 * Who wrote a page: its statements and its byline. Only people are authors; the names of sites, offices and agencies
 * are none. Threat: a page of bylines; they are bounded.
 */

import { BLOCK_TAGS } from '../documents/html/tags.ts';

const MAX_BYLINES = 60;

const MAX_TEXT_CHARS = 150;

const MAX_AUTHORS = 5;

/** Of a label in an element of its own. */
const MAX_LABEL_CHARS = 40;

/** In elements of their own. */
const MAX_AUTHORS_APART = 4;

const MAX_NAME_CHARS = 45;

const MAX_NAME_WORDS = 5;

/** Text between the names of one byline is at most this long: `and`, a comma, a sign. */
const MAX_GAP_CHARS = 12;

/** A byline stands in text this long before or after the headline. */
const MAX_CHARS_BEFORE = 250;

const MAX_CHARS_AFTER = 500;

const MAX_HEADINGS = 20;

const MIN_HEADLINE_CHARS = 4;

/** Where an inline element begins, and where one ends. */
const BEGIN = '\ue000';

const END = '\ue001';

const BOUNDARIES = /[\s\ue000\ue001]*[\ue000\ue001][\s\ue000\ue001]*/g;

/** Tags within a name. */
const GLUED_TAGS = new Set(['b', 'strong', 'i', 'em', 'u', 'wbr']);

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

const COMMENT_AUTHOR = /(?:^|[\s_-])comments?[\s_-]?(?:author|autor)/i;

/** A byline that says what was written, and by whom. */
const EXPLICIT_BY = new RegExp(
  '^[\\s|]*(?:eine?\\s+|an?\\s+)?(?:(?:blog|gast)[\\s-]?)?(?:artikel|beitrag|kommentar|standpunkt|interview|' +
    'rezension|essay|bericht|reportage|analyse|article|commentary|review|report|guest post|geschrieben|erstellt|' +
    'veröffentlicht|eingestellt|gespeichert|gepostet|verfasst|written|posted|publié|publicado|escrito)\\s+' +
    '(?:von|by|par|por)(?:\\s+|$)',
  'i',
);

/** A byline in words. */
const WRITTEN_BY = /^[\s|]*(?:von|by|par|por|texto|text von|text:|(?:autor(?:in|en)?|authors?|auteurs?)\s?:)(?:\s+|$)/i;

/** A label in an element of its own, whose name follows. */
export const AUTHOR_LABEL = new RegExp(
  '^\\s*(?:(?:written|posted|published) by|(?:verfasst|geschrieben) von|(?:écrit|publié) par|escrito por|' +
    'geschreven door|napisane przez|scritto da|autor(?:in|en|a)?|authors?|auteure?s?|verfasser(?:in)?)\\s*$',
  'i',
);

const LABELS = new RegExp(
  '^(?:(?:geschrieben|erstellt|veröffentlicht|eingestellt|gespeichert|gepostet|verfasst|written|posted|published|' +
    'publicado|escrito|作者|责任编辑|编辑|记者|撰文|文|著者|執筆|publié|(?:about the |über (?:den|die) )?' +
    '(?:autor(?:in|en)?|authors?|auteurs?)|text und interview|text[eo]?|interview|story|rechtsanw[aä]lt(?:in)?|' +
    'im wortlaut von|vo[nm]|by|par|por|door|przez|av)(?!\\p{Ll})[\\s|:：／/–-]*)+',
  'iu',
);

/** Some templates quote what they state. */
const QUOTED = /^(['"])(.*)\1$/s;

/** Where a name ends: at a date, a separator, an office. */
const NAME_END = new RegExp(
  '\\s*(?:[|•·–—(@/]|\\s-\\s|\\d|,?\\s+(?:edited|updated|published|photos?|illustration(?:en|s)?|fotos?|mit|with|' +
    'am|on|um|le|el|in|aus|für|from|for|at|bei)\\s).*$',
  'su',
);

const TITLES_AFTER = /^(?:ph\.?\s?d\.?|m\.?d\.?|m\.?a\.?|msc|jr\.?|sr\.?|dpa|afp|ap|sid|apa|efe|reuters)$/i;

/** Whose picture it is. */
const CREDIT = /\/\s*(?:reuters|ap|afp|getty|dpa|imago|epa|shutterstock|istock|picture)|©|foto:|photo:|bild:/i;

const SEPARATOR = /\s*(?:,|;|\s+und\s+|\s+and\s+|\s+et\s+|\s+y\s+|\s+e\s+|&|\+)\s*/i;

/** Words of names that are none of a person. */
const NO_PERSON_WORDS = [
  'redaktion\\p{L}*|redac\\p{L}+|redação|redakcja|editor(?:s|ial|ial team)?|staff|team|admin\\p{L}*|news\\p{L}*',
  'agenc\\p{L}+|agentur\\p{L}*|authors?|autor\\p{L}*|kommentar\\p{L}*|comments?|anonym\\p{L}*|gmbh|ag|ev|inc|ltd|llc',
  'press\\p{L}*|magazine?|zeitung|online|verlag|media|medien|blog\\p{L}*|desk|reports?|reporters?|dpa|afp|reuters|ap',
  'efe|ansa|apa|sid|epd|kna|jiji|stiftung|\\p{L}*verein|\\p{L}*bund|\\p{L}*verband|google|instituto?|universi\\p{L}+',
  'foundation|group|company|corp|super\\s?user|users?|publisher|\\p{L}*department|departement|ministerium',
  '\\p{L}*anstalt|\\p{L}*leiter(?:in)?|bereitgestellt|theme\\p{L}*|foto(?:s|graf(?:in)?)?|photos?|bild(?:er)?|quelle',
  'network|tv|radio|fernsehen|journal|times|post|posts|über|about|mehr|more|alle|all|view|profile?|follow|share',
  'login|artikel|beitr\\p{L}+|gast\\p{L}*|guest|sponsored|support|service|international|deutschland|collecti\\p{L}+',
  'kollektiv|edited|source|experten?|experts?|minutes?|date|written|published|updated|gallery|galerie|kitchens?',
].join('|');

/** Such words, words that begin no name, and an acronym before a word. */
const NO_PERSON = new RegExp(
  '^(?:the|der|die|das|el|los|las|les|für|by|von|vom|l)\\s|^\\p{Lu}{3,}\\s+\\p{Lu}\\p{Ll}|' +
    `(?:^|[\\s.-])(?:${NO_PERSON_WORDS})(?=$|[\\s.:-])`,
  'u',
);

const NAME = /^\p{L}[\p{L}\p{M}.'’‘`-]*(?:\s+[\p{L}][\p{L}\p{M}.'’‘`-]*)*$/u;

/** Names that people give themselves: with digits or underscores. */
const NICKNAME = /^(?:(?:by|von|autor|author):?\s+)?((?=\D*\d|[^_]*_)(?=\P{L}*\p{L})[\p{L}\p{N}_-]{3,20})$/iu;

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
  /** Text of the page before it. */
  at: number;
  /** A line begins with it. */
  isLine: boolean;
}

interface Heading {
  depth: number;
  isFirst: boolean;
  text: string;
  from: number;
  to: number;
}

/** Collects the bylines of a page while its tags pass. */
export class BylineReader {
  readonly #found: Byline[] = [];
  readonly #open: Byline[] = [];
  readonly #headings: Heading[] = [];
  #heading: Heading | null = null;
  #otherDepth = 0;
  #gap = 0;
  #at = 0;
  #isLineStart = true;
  /** The byline in words of this line. */
  #line: Pick<Byline, 'rank' | 'isLine' | 'text' | 'at'> | null = null;

  openBylineTag(tag: string, attributes: Attributes, depth: number): void {
    if (tag === 'h1' || tag === 'h2') this.#openHeading(tag === 'h1', depth);
    const { class: classes, id, itemprop, rel, href } = attributes;
    this.#markBoundary(tag, BEGIN);
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
      if (isName)
        this.#keepByline({ rank: RANK.name, depth, isLine: true, at: this.#at, text: attributes.content ?? '' });
      return;
    }
    const rank = this.#rankOf(tag, attributes);
    if (rank === null) return;
    this.#open.push({ rank, depth, text: '', gap: this.#gap, at: this.#at, isLine: this.#isLineStart });
  }

  get hasBylines(): boolean {
    return this.#found.length > 0;
  }

  addBylineText(text: string): void {
    this.#at += text.trim().length;
    if (this.#heading !== null && this.#heading.text.length <= MAX_TEXT_CHARS) this.#heading.text += text;
    if (this.#otherDepth > 0) return;
    for (const byline of this.#open) if (byline.text.length <= MAX_TEXT_CHARS) byline.text += text;
    if (this.#gap <= MAX_GAP_CHARS && this.#found.length > 0) this.#gap += text.trim().length;
    if (text.trim() === '') return;
    const isLine = this.#isLineStart;
    this.#isLineStart = false;
    if (this.#open.length > 0 || text.length > MAX_TEXT_CHARS || text.length < 2) return;
    if (this.#line !== null) {
      if (this.#line.text.length <= MAX_TEXT_CHARS) this.#line.text += text;
      return;
    }
    const isLabel = text.trim().length <= MAX_LABEL_CHARS && AUTHOR_LABEL.test(text);
    const pattern = [EXPLICIT_BY, WRITTEN_BY].find((one) => one.test(text)) ?? (isLabel ? AUTHOR_LABEL : undefined);
    if (pattern === undefined) return;
    const rank = pattern === EXPLICIT_BY ? RANK.explicit : RANK.written;
    this.#line = { rank, isLine, at: this.#at, text: text.replace(pattern, '') };
  }

  closeBylineTag(tag: string, depth: number): void {
    this.#markBoundary(tag, END);
    if (this.#otherDepth === depth) this.#otherDepth = 0;
    if (this.#heading?.depth === depth) {
      this.#headings.push({ ...this.#heading, to: this.#at });
      this.#heading = null;
    }
    while (this.#open.at(-1)?.depth === depth) {
      const byline = this.#open.pop();
      if (byline === undefined || byline.text.length > MAX_TEXT_CHARS || byline.text.trim() === '') continue;
      this.#found.push(byline);
      this.#gap = 0;
    }
  }

  /**
   * People of the bylines at the headline, which is the heading that the title has, or else the first; null if a byline
   * there names no person.
   */
  authorsAtHeadline(sites: ReadonlySet<string>, title: string): string[] | null {
    const headline = this.#headlineOf(nameKey(title));
    if (headline === null) return [];
    const { from, to } = headline;
    const after = this.#found.filter(({ at }) => at >= from && at <= to + MAX_CHARS_AFTER);
    const before = this.#found.filter(({ at }) => at < from && at >= from - MAX_CHARS_BEFORE);
    const names = [after, before].map((bylines) => authorsOfBylines(bylines, sites, RANK.written));
    const isOther = after.some(({ rank, text }) => rank <= RANK.stated && namesNobody(text, sites));
    return names.find((one) => one.length > 0) ?? (isOther ? null : []);
  }

  /** The people that bylines state, if these are the same everywhere or one of them is the most certain. */
  statedAuthors(sites: ReadonlySet<string>): string[] {
    return authorsOfBylines(this.#found, sites, RANK.stated);
  }

  /** The people of all bylines that are marked or a line, if these are one text's. */
  onlyAuthors(sites: ReadonlySet<string>): string[] {
    const kept = this.#found.filter(({ rank, isLine }) => rank <= RANK.marked || isLine);
    for (const most of [RANK.marked, RANK.explicit, RANK.written]) {
      const ranked = kept.filter(({ rank }) => rank <= most);
      const all = differentNames(ranked.flatMap(({ text }) => peopleIn(text, sites, false)));
      const names = authorsOfBylines(ranked, sites, most);
      if (all.length > 0) return all.length === names.length ? names : [];
    }
    return [];
  }

  /** Texts of different elements that nothing parts are different words. */
  #markBoundary(tag: string, boundary: string): void {
    const isBlock = tag === 'br' || BLOCK_TAGS.has(tag);
    if (!isBlock && (this.#isIdle() || GLUED_TAGS.has(tag))) return;
    const mark = isBlock ? '|' : boundary;
    if (isBlock) this.#endLine();
    else if (this.#line !== null && this.#line.text.trim() !== '') this.#line.text += mark;
    for (const byline of this.#open) if (byline.text !== '') byline.text += mark;
  }

  /** Whether no byline is open. */
  #isIdle(): boolean {
    return this.#open.length === 0 && this.#line === null;
  }

  /** Ends the byline in words; a label alone waits for its name. */
  #endLine(): void {
    this.#isLineStart = true;
    if (this.#line === null || !/\p{L}/u.test(this.#line.text)) return;
    this.#keepByline({ ...this.#line, depth: 0 });
    this.#line = null;
  }

  #openHeading(isFirst: boolean, depth: number): void {
    // A box with a headline holds the content, whatever its name is.
    if (isFirst) this.#otherDepth = 0;
    if (this.#heading !== null || this.#headings.length >= MAX_HEADINGS) return;
    this.#heading = { depth, isFirst, text: '', from: this.#at, to: this.#at };
  }

  #headlineOf(title: string): Heading | null {
    const isTitle = ({ text }: Heading) => {
      const key = nameKey(text);
      return key.length >= MIN_HEADLINE_CHARS && (title.includes(key) || key.includes(title));
    };
    const headings = this.#headings;
    return (title === '' ? undefined : headings.find(isTitle)) ?? headings.find(({ isFirst }) => isFirst) ?? null;
  }

  #keepByline(byline: Omit<Byline, 'gap'>): void {
    const gap = byline.rank === RANK.name ? this.#gap : Number.POSITIVE_INFINITY;
    if (this.#found.length < MAX_BYLINES) this.#found.push({ ...byline, gap });
  }

  #rankOf(tag: string, { class: classes, rel, itemprop, href }: Attributes): number | null {
    if (itemprop !== undefined) {
      if (itemprop === 'author' || itemprop === 'creator') return RANK.stated;
      if (itemprop === 'name' && this.#open.length > 0) return RANK.name;
    }
    if (tag === 'link' || (classes !== undefined && COMMENT_AUTHOR.test(classes))) return null;
    if (rel !== undefined && /(?:^|\s)author(?:\s|$)/.test(rel)) return RANK.stated;
    if (tag === 'a' && href !== undefined && AUTHOR_ADDRESS.test(href)) return RANK.stated;
    if (tag === 'byline' || (classes !== undefined && AUTHOR_CLASS.test(classes))) return RANK.marked;
    if (classes !== undefined && this.#open.length > 0 && /(?:^|\s)fn(?:\s|$)/.test(classes)) return RANK.stated;
    return null;
  }
}

/** The people of the first byline of the least rank that names any. */
function authorsOfBylines(bylines: readonly Byline[], sites: ReadonlySet<string>, maxRank: number): string[] {
  for (let rank = 0; rank <= maxRank; rank += 1) {
    const ranked = bylines.filter((byline) => byline.rank === rank);
    for (const [at, first] of ranked.entries()) {
      const isStated = rank <= RANK.stated || (rank === RANK.explicit && /^\s*\p{Lu}/u.test(first.text));
      const names = peopleIn(first.text, sites, isStated);
      if (names.length === 0) continue;
      const all = [...names];
      for (const next of ranked.slice(at + 1)) {
        if (next.gap > MAX_GAP_CHARS) break;
        all.push(...peopleIn(next.text, sites, false));
      }
      // More names in a row are a list of the site's authors.
      const different = differentNames(all);
      return different.length <= MAX_AUTHORS_APART ? different : differentNames(names);
    }
  }
  return [];
}

/** Whether a byline has a text and no person in it. */
function namesNobody(text: string, sites: ReadonlySet<string>): boolean {
  return /\p{L}{2}/u.test(text) && peopleIn(text, sites, true).length === 0;
}

/** The names of people in the text of a byline. A single word is a name only where it is stated as one. */
export function peopleIn(text: string, sites: ReadonlySet<string>, isStated: boolean): string[] {
  const line = withoutBoundaries(text)
    .replace(/\s+/g, ' ')
    .replace(/[\s|]*\|\s*(und|and|et|y|e|,|&)[\s|]+/g, ' $1 ')
    .replace(/^[\s|]+|[\s|]+$/g, '')
    .replace(QUOTED, '$2');
  if (line.length > MAX_TEXT_CHARS || /https?:|www\.|@|\[at\]/i.test(line) || CREDIT.test(line)) return [];
  const [, nickname] = isStated ? (NICKNAME.exec(line) ?? []) : [];
  if (nickname !== undefined) return sites.has(nameKey(nickname)) || NO_PERSON.test(nickname) ? [] : [nickname];
  const [, last = line] = /^.*?\s(?:by|par|por)\s+(?=\p{Lu})(.*)$/su.exec(line) ?? [];
  const names = last.replace(LABELS, '').trim().replace(NAME_END, '').trim();
  const parts = names.split(SEPARATOR).filter((part) => part !== '' && !TITLES_AFTER.test(part));
  if (parts.length === 0 || parts.length > MAX_AUTHORS) return [];
  const other = parts.findIndex((part) => !isPerson(part, sites, isStated));
  return other === -1 ? parts : parts.slice(0, other);
}

/** Between two elements, or where no space parts them, names end. */
function withoutBoundaries(text: string): string {
  return text.replace(BOUNDARIES, (run) => (/\ue001[\s\ue000]*\ue000/.test(run) || !/\s/.test(run) ? '|' : ' '));
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
