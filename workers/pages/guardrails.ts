/**
 * Threat: pages that address a model without the reader's knowledge, or that contain data which must not be passed on.
 * Findings are reported with their place; personal data is counted by kind and never repeated.
 */

import type { CrawlGuardrailPage, GuardrailSign } from '../../src-server/features/crawl/schema.ts';
import { byName } from '../../src-server/platform/records.ts';
import { wholeSlice } from '../../src-server/platform/text/strings.ts';
import { instructionsIn, SLOT } from './injection-patterns.ts';
import type { PageLanguage } from './page-language.ts';
import type { PageWords } from './page-words.ts';
import type { HiddenText, PageRecord } from './scan-page.ts';

const MAX_SIGNS = 50;

const EXCERPT_CHARS = 160;

/** Shorter hidden texts are labels of buttons and menus. */
const MIN_HIDDEN_CHARS = 20;

/** Abilities and limits of each detector, as stated in the result. */
export const DETECTORS = [
  {
    name: 'robots and AI-use directives',
    sureOf: 'The literal directives of robots.txt, meta robots, X-Robots-Tag and tdm-reservation.',
    notSureOf: 'Terms of use written as prose, and files such as ai.txt, are not read.',
  },
  {
    name: 'personal data',
    sureOf: 'Card numbers and IBANs, by their check digits; e-mail addresses, by their form.',
    notSureOf: 'Phone and identity numbers are found by form only; names and postal addresses are not looked for.',
  },
  {
    name: 'hidden text',
    sureOf: 'Text hidden by attributes and inline styles, and invisible characters.',
    notSureOf:
      'Stylesheets and scripts are not run, so text that they hide is not found; much hidden text is harmless.',
  },
  {
    name: 'instruction-like text',
    sureOf: 'Wordings that address a language model, in English, German, French and Spanish.',
    notSureOf: 'Other wordings and languages pass; a text about such attacks is reported as well.',
  },
  {
    name: 'exfiltrating links',
    sureOf: 'Links and images whose address has a slot for data from a model.',
    notSureOf: 'An address that is assembled later looks like any other.',
  },
  {
    name: 'licence',
    sureOf: 'A licence that the page states by rel=license or its metadata.',
    notSureOf: 'A Creative Commons address or a copyright line in the text may be about something else.',
  },
  {
    name: 'language',
    sureOf: 'The language the page states (`stated`).',
    notSureOf:
      'Without one it is guessed from scripts and frequent words (`guessed`). Where the text or another statement ' +
      'says otherwise, the language of the text is given (`doubtful`).',
  },
  {
    name: 'sensitive topics',
    sureOf: 'Occurrence and number of the words of a topic.',
    notSureOf: 'The meaning of the text is not judged; the lists are English.',
  },
];

const COPYRIGHT = /(?:©|\([cC]\)|[cC]opyright|COPYRIGHT)\s+(?:©\s*)?\d{4}[^\n]{0,100}/;

/** Every match contains one of these: searching them first takes a tenth of the time. */
const COPYRIGHT_SIGNS = ['©', '(c)', '(C)', 'yright', 'YRIGHT'];

const ADDRESS = /https?:\/\/[^\s<>"')]+/g;

const CONFIDENCE = { stated: 'stated', inferred: 'guessed', doubtful: 'doubtful' } as const;

/** The findings of a page, from its record and final text. `words` has counted the words of that text. */
export function guardrailsOf(
  record: PageRecord,
  { text, words, language }: { text: string; words: PageWords; language: PageLanguage | null },
): CrawlGuardrailPage {
  const signs: GuardrailSign[] = [];
  findInstructions(text, signs);
  for (const hidden of record.hidden) addHidden(hidden, text, signs);
  findSlots(record, text, signs);
  return {
    url: record.url,
    robots: record.robots,
    aiUse: record.aiUse,
    personalData: personalDataIn(text),
    signs: signs.slice(0, MAX_SIGNS),
    licence: record.licence ?? licenceIn(record, text),
    language: language === null ? null : { code: language.code, confidence: CONFIDENCE[language.evidence.certainty] },
    sensitiveTopics: sensitiveTopicsIn(words),
  };
}

function findInstructions(text: string, signs: GuardrailSign[]): void {
  for (const { start, end } of instructionsIn(text, MAX_SIGNS)) {
    const from = Math.max(0, start - 20);
    const excerpt = wholeSlice(text, from, Math.min(end + 100, from + EXCERPT_CHARS));
    signs.push({ kind: 'instruction', where: 'text', start, end, excerpt, confidence: 'medium' });
  }
}

function addHidden({ how, where, text: hidden }: HiddenText, text: string, signs: GuardrailSign[]): void {
  if (signs.length >= MAX_SIGNS) return;
  const excerpt = wholeSlice(hidden, 0, EXCERPT_CHARS);
  if (instructionsIn(hidden, 1).length > 0) {
    signs.push({ kind: 'instruction', where, ...guardrailTextPlace(hidden, text), excerpt, confidence: 'high' });
  } else if (where === 'text') {
    // A single soft joiner is typography of several scripts; a run, or a character of the tag block, hides a message.
    const run = /[\u200b-\u200f\u2060-\u2064\u{e0000}-\u{e007f}]{3,}|[\u{e0000}-\u{e007f}]|[\u202a-\u202e]/u;
    const confidence = run.test(hidden) ? 'high' : 'low';
    signs.push({ kind: 'invisible-characters', where, ...guardrailTextPlace(hidden, text), excerpt, confidence });
  } else if (where === 'hidden-text' && hidden.length >= MIN_HIDDEN_CHARS) {
    const confidence = how === 'colour of its background' || how.startsWith('font-size') ? 'medium' : 'low';
    const sign = { kind: 'hidden-text', where, ...guardrailTextPlace(hidden, text) } as const;
    signs.push({ ...sign, excerpt: wholeSlice(`${how}: ${excerpt}`, 0, EXCERPT_CHARS), confidence });
  }
}

/** Position of a text from the page's tags in its final text, or nulls. */
function guardrailTextPlace(found: string, text: string): { start: number | null; end: number | null } {
  const visible = found
    .replace(/[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]/gu, '')
    .replace(/\s+/g, ' ')
    .trim();
  const start = visible === '' ? -1 : text.indexOf(visible);
  return start === -1 ? { start: null, end: null } : { start, end: start + visible.length };
}

function findSlots(record: PageRecord, text: string, signs: GuardrailSign[]): void {
  for (const { url } of [...record.links, ...record.assets]) {
    if (signs.length >= MAX_SIGNS) return;
    if (!url.includes('=') || !SLOT.test(url)) continue;
    const excerpt = url.slice(0, EXCERPT_CHARS);
    signs.push({ kind: 'exfiltrating-link', where: 'link', start: null, end: null, excerpt, confidence: 'medium' });
  }
  if (!text.includes('://')) return;
  for (const match of text.matchAll(ADDRESS)) {
    if (signs.length >= MAX_SIGNS) return;
    if (!SLOT.test(match[0])) continue;
    const place = { start: match.index, end: match.index + match[0].length };
    const excerpt = wholeSlice(match[0], 0, EXCERPT_CHARS);
    signs.push({ kind: 'exfiltrating-link', where: 'text', ...place, excerpt, confidence: 'medium' });
  }
}

function licenceIn(record: PageRecord, text: string): string | null {
  const commons = record.links.find(({ url }) =>
    /^https?:\/\/creativecommons\.org\/(?:licenses|publicdomain)\//.test(url),
  );
  if (commons !== undefined) return commons.url;
  if (!COPYRIGHT_SIGNS.some((sign) => text.includes(sign))) return null;
  return COPYRIGHT.exec(text)?.[0].trim() ?? null;
}

/** Counts personal data by kind. The matches themselves never leave this file. */
const MAX_COUNTED = 10_000;

const MAX_CHAPTERS = 100;

const MAX_SECTIONS = 32;

interface Kind {
  kind: string;
  pattern: RegExp;
  isReal?(found: string): boolean;
}

/** In order: the matches of one kind are excluded from the next. All repeats in the patterns are bounded. */
const KINDS: readonly Kind[] = [
  { kind: 'email', pattern: /\b[\w.+-]{1,64}@(?:[a-z0-9-]{1,63}\.){1,6}[a-z]{2,24}\b/gi },
  { kind: 'iban', pattern: /\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?\b/g, isReal: isIban },
  { kind: 'payment-card', pattern: /(?<!\d[ -]?)(?<![A-Z]{2}\d{2} ?)\b\d(?:[ -]?\d){12,18}\b/g, isReal: isCard },
  { kind: 'us-social-security', pattern: /\b(?!000|666|9\d\d)\d{3}-(?!00)\d{2}-(?!0000)\d{4}\b/g },
  {
    kind: 'phone',
    pattern: /(?<![\w.])(?<!\d[ -])(?:\+|00)\d{1,3}(?:[ ().-]{0,2}\d){7,12}\b|\(\d{3}\) ?\d{3}-\d{4}\b/g,
  },
  { kind: 'ip-address', pattern: /(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?![\w.]*\d)/g, isReal: isPersonalAddress },
];

/** A prerequisite of every kind but e-mail: a run of digits, dotted digits, or the start of an IBAN. */
const NUMBERS = /\d(?:[ ().-]{0,3}\d){6}|\d\.\d{1,3}\.\d|[A-Z]{2}\d{2}/;

export function personalDataIn(text: string): { kind: string; count: number }[] {
  let rest = text;
  const hasAddress = text.includes('@');
  const hasNumber = NUMBERS.test(text);
  return KINDS.flatMap(({ kind, pattern, isReal }) => {
    if (!(kind === 'email' ? hasAddress : hasNumber)) return [];
    let count = 0;
    rest = rest.replace(pattern, (found) => {
      if (count >= MAX_COUNTED || (isReal !== undefined && !isReal(found))) return found;
      count += 1;
      return ' ';
    });
    return count === 0 ? [] : [{ kind, count }];
  });
}

/** ISO 7064, modulus 97. */
function isIban(found: string): boolean {
  const code = found.replaceAll(' ', '');
  if (code.length < 15 || code.length > 34) return false;
  let remainder = 0;
  for (const character of code.slice(4) + code.slice(0, 4)) {
    const value = Number.parseInt(character, 36);
    remainder = (remainder * (value > 9 ? 100 : 10) + value) % 97;
  }
  return remainder === 1;
}

/** ISO/IEC 7812: a first digit of payment cards, and the Luhn check digit. */
function isCard(found: string): boolean {
  const digits = found.replace(/\D/g, '');
  if (!/^[2-6]/.test(digits) || digits.length < 13 || /^(\d)\1+$/.test(digits)) return false;
  let sum = 0;
  for (let index = 0; index < digits.length; index += 1) {
    const digit = Number(digits[digits.length - 1 - index]);
    const doubled = index % 2 === 1 ? digit * 2 : digit;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}

/**
 * Loopback, private and documentation addresses identify nobody. Version and section numbers have the same form: all
 * their parts are small, as in one address of a thousand.
 */
function isPersonalAddress(found: string): boolean {
  const parts = found.split('.').map(Number);
  if (parts.some((part) => part > 255)) return false;
  if (parts.every((part, place) => part < (place === 0 ? MAX_CHAPTERS : MAX_SECTIONS))) return false;
  return !/^(?:0|10|127|192\.168|169\.254|192\.0\.2|198\.51\.100|203\.0\.113|172\.(?:1[6-9]|2\d|3[01])|255)\./.test(
    found,
  );
}

/**
 * Words of sensitive topics, matched as whole English words. Words with a technical meaning are left out: candidates of
 * a choice, xxx as a placeholder.
 */
const TOPICS: Readonly<Record<string, readonly string[]>> = byName({
  health: [
    ...['diagnosis', 'symptom', 'symptoms', 'medication', 'dosage', 'prescription', 'disease', 'therapy', 'cancer'],
    ...['diabetes', 'pregnancy', 'vaccine', 'antidepressant', 'surgery', 'hiv'],
  ],
  'self-harm': ['suicide', 'suicidal', 'self-harm', 'self-injury', 'overdose', 'anorexia', 'bulimia'],
  finance: ['mortgage', 'investment', 'investments', 'bankruptcy', 'dividend', 'portfolio', 'stockbroker', 'pension'],
  legal: ['lawsuit', 'plaintiff', 'defendant', 'attorney', 'litigation', 'indictment', 'subpoena'],
  adult: ['porn', 'pornography', 'erotic', 'escort', 'nsfw'],
  gambling: ['casino', 'betting', 'gambling', 'roulette', 'jackpot', 'sportsbook'],
  weapons: ['firearm', 'firearms', 'ammunition', 'explosive', 'explosives', 'rifle', 'grenade', 'detonator'],
  drugs: ['cocaine', 'heroin', 'methamphetamine', 'cannabis', 'fentanyl', 'opioid', 'lsd'],
  politics: ['election', 'elections', 'senator', 'parliament', 'referendum', 'ballot', 'ballots'],
  religion: ['church', 'mosque', 'synagogue', 'bible', 'quran', 'torah', 'prayer'],
  violence: ['murder', 'massacre', 'terrorism', 'terrorist', 'torture', 'genocide', 'assault'],
});

/** Fewer hits are a passing mention. */
const MIN_HITS = 3;

const FORMS = ['', "'s", '’s'];

const TOPIC_FORMS = Object.entries(TOPICS).map(([topic, names]) => ({
  topic,
  forms: names.flatMap((name) => FORMS.map((form) => name + form)),
}));

function sensitiveTopicsIn(words: PageWords): { topic: string; hits: number }[] {
  return TOPIC_FORMS.map(({ topic, forms }) => ({
    topic,
    hits: forms.reduce((sum, form) => sum + words.wordFrequency(form), 0),
  }))
    .filter(({ hits }) => hits >= MIN_HITS)
    .sort((one, other) => other.hits - one.hits);
}
