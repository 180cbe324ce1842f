import {
  directionOf,
  fillMessages,
  type MessageModule,
  type MessageTree,
  messageFormatters,
} from '../../src-server/platform/text/format-message.ts';
import type { Messages } from '../api/generated/messages.ts';
import {
  chosenLanguage,
  DEFAULT_LANGUAGE,
  drawAgain,
  localeOf,
  setShownLanguage,
  shownLanguage,
  systemLanguage,
} from './locale.ts';
import { loadServerTexts, wasAskedEarly } from './server-texts.ts';

type Part = keyof Messages;

/** The parts of the catalogues, loaded with the pages that show them: scripts/messages.ts. */
const CATALOGUES: Record<Part, Record<string, () => Promise<MessageModule>>> = {
  start: import.meta.glob<MessageModule>('../../resources/languages/*.json', { query: '?start' }),
  work: import.meta.glob<MessageModule>('../../resources/languages/*.json', { query: '?work' }),
  service: import.meta.glob<MessageModule>('../../resources/languages/*.json', { query: '?service' }),
};

const loaded = new Map<Part, MessageTree>();

/**
 * All texts of a part in the language that is shown. Objects stay the same when the language changes; texts do not, so
 * read a text where it is shown, never at the head of a module.
 */
export async function loadMessages<Name extends Part>(part: Name): Promise<Messages[Name]> {
  const texts: MessageTree = {};
  const isFirst = loaded.size === 0;
  loaded.set(part, texts);
  for (
    let language = isFirst ? (chosenLanguage() ?? systemLanguage()) : shownLanguage();
    ;
    language = shownLanguage()
  ) {
    const fill = await loadPart(part, language).catch(() => loadPart(part, DEFAULT_LANGUAGE));
    fill();
    if (isFirst) {
      setShownLanguage(language);
      void showServerTextsLater(language);
    }
    // Another language was chosen meanwhile.
    if (language === shownLanguage()) return texts as object as Messages[Name];
  }
}

/** Loads the messages of a language and shows them. Rejects, and changes nothing, if they cannot be loaded. */
export async function showLanguage(language: string): Promise<void> {
  const parts = [...loaded.keys()].map((part) => loadPart(part, language));
  const fills = await Promise.all([...parts, loadServerTexts(language)]);
  for (const fill of fills) fill();
  setShownLanguage(language);
}

/** The first paint does not wait for the texts of the server: a page that shows one is drawn again. */
async function showServerTextsLater(language: string): Promise<void> {
  const show = await loadServerTexts(language).catch(() => null);
  if (show === null || language !== shownLanguage()) return;
  show();
  if (wasAskedEarly()) drawAgain();
}

/** Loads a part in a language; the function that it returns shows it. Pages of results need the texts of the server. */
async function loadPart(part: Part, language: string): Promise<() => void> {
  const load = CATALOGUES[part][`../../resources/languages/${language}.json`];
  if (load === undefined) throw new Error(`Unknown language: ${language}`);
  const [{ default: make }, showServerTexts] = await Promise.all([
    load(),
    part === 'start' ? null : loadServerTexts(language),
  ]);
  return () => {
    showServerTexts?.();
    fillMessages(
      loaded.get(part) ?? {},
      make(messageFormatters(language, localeOf(language))),
      directionOf(language) === 'rtl',
    );
  };
}

/** Adds what a catalogue cannot say, such as a choice between messages. The texts stay those of the language shown. */
export function extend<Texts extends object, Added extends object>(texts: Texts, added: Added): Texts & Added {
  for (const [key, value] of Object.entries(added)) {
    const before = Reflect.get(texts, key);
    if (before === value) continue;
    if (isTree(before) && isTree(value)) extend(before, value);
    else if (before !== undefined) throw new Error(`The catalogue has a text of this name: ${key}`);
    else Object.defineProperty(texts, key, { value, enumerable: true });
  }
  return texts as Texts & Added;
}

function isTree(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
