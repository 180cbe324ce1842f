/// <reference types="vite/types/importMeta.d.ts" />
import { OPERATIONS } from '../src-renderer/api/generated/tables.ts';
import { recordOf } from '../src-server/platform/records.ts';
import {
  bestLanguage,
  directionOf,
  fillMessages,
  type MessageModule,
  type MessageTree,
  messageFormatters,
} from '../src-server/platform/text/format-message.ts';
import { type KnownText, readingServerTexts } from '../src-server/platform/text/read-server-text.ts';
import type { Messages } from './message-types.ts';

type Catalogues = Record<string, () => Promise<MessageModule>>;

const { CATALOGUES, OF_SERVER, OF_WINDOW, TEMPLATES } = builtCatalogues();

const PATH = (language: string) => `../resources/languages/${language}.json`;

const DEFAULT_LANGUAGE = 'en';

const tree: MessageTree = {};

/** All texts of the shell. Read them where they are shown: they change with the language. */
export const texts = tree as object as Messages;

let inLanguage: KnownText = () => null;

/** Whether the server's English is not that of the shell. */
let isForeign = false;

/** Texts of the part of the window that names operations and errors. */
let ofWindow: MessageTree = {};

await showLanguageOfShell(null);

/**
 * The build puts the catalogues in place of `glob`. Node alone has none: the source runs so only where its guards are
 * tested.
 */
function builtCatalogues() {
  try {
    return {
      CATALOGUES: import.meta.glob<MessageModule>('../resources/languages/*.json', { query: '?desktop' }),
      OF_SERVER: import.meta.glob<MessageModule>('../resources/languages/*.json', { query: '?server' }),
      OF_WINDOW: import.meta.glob<MessageModule>('../resources/languages/*.json', { query: '?start' }),
      TEMPLATES: import.meta.glob<{ default: Parameters<typeof readingServerTexts>[0] }>(
        '../resources/languages/en.json',
        {
          query: '?templates',
        },
      ),
    };
  } catch {
    const none: Catalogues = {};
    return { CATALOGUES: none, OF_SERVER: none, OF_WINDOW: none, TEMPLATES: {} };
  }
}

/** A text of the server in the language of the shell. English where it comes from a foreign program. */
export function serverText(text: string): string {
  return inLanguage(text) ?? text;
}

/** What an error of the API says: its sentence, or what its code means; undefined where it has neither. */
export function problemText({ code = '', detail }: { code?: string; detail?: string }): string | undefined {
  const title = recordOf(recordOf(ofWindow.errors)[code]).title;
  return (
    (detail === undefined ? null : inLanguage(detail)) ?? (isForeign && typeof title === 'string' ? title : detail)
  );
}

/** `Document`: what an operation makes; undefined for one that this version does not know. */
export function nounOf(operationId: string): string | undefined {
  const noun = recordOf(recordOf(ofWindow.operations)[operationId]).noun;
  return typeof noun === 'string' ? noun : undefined;
}

/** The language of menus, dialogs and notifications. Null, or one that there is not: that of the system. */
export async function showLanguageOfShell(wanted: string | null): Promise<void> {
  const languages = Object.keys(CATALOGUES).map((path) => path.slice(PATH('').indexOf('.json'), -'.json'.length));
  const system = Intl.DateTimeFormat().resolvedOptions().locale;
  const language = bestLanguage(wanted === null ? [system] : [wanted, system], languages, DEFAULT_LANGUAGE);
  const { default: make } = (await CATALOGUES[PATH(language)]?.()) ?? {};
  if (make === undefined) return;
  fillMessages(tree, make(messageFormatters(language, system)), directionOf(language) === 'rtl');
  await showServerTexts(language, system);
}

async function showServerTexts(language: string, locale: string): Promise<void> {
  const [server, window, templates] = await Promise.all([
    OF_SERVER[PATH(language)]?.(),
    OF_WINDOW[PATH(language)]?.(),
    Object.values(TEMPLATES)[0]?.(),
  ]);
  ofWindow = {};
  if (window !== undefined) fillMessages(ofWindow, window.default(messageFormatters(language, locale)), false);
  isForeign = language !== DEFAULT_LANGUAGE;
  const hasTexts = isForeign && server !== undefined && templates !== undefined;
  inLanguage = hasTexts
    ? readingServerTexts(templates.default, server.default, { language, locale, wordOf: wordOfOperation })
    : () => null;
}

/** Words of operations, which the server names in English. */
function wordOfOperation(word: string): string | null {
  const [id] = Object.entries(OPERATIONS).find(([, { noun }]) => noun === word) ?? [];
  return id === undefined ? null : (nounOf(id) ?? null);
}
