/// <reference types="vite/types/importMeta.d.ts" />
import {
  bestLanguage,
  directionOf,
  fillMessages,
  type MessageModule,
  type MessageTree,
  messageFormatters,
} from '../src-server/platform/text/format-message.ts';
import type { Messages } from './message-types.ts';

const CATALOGUES = builtCatalogues();

const PATH = (language: string) => `../resources/languages/${language}.json`;

const DEFAULT_LANGUAGE = 'en';

const tree: MessageTree = {};

/** All texts of the shell. Read them where they are shown: they change with the language. */
export const texts = tree as object as Messages;

await showLanguageOfShell(null);

/**
 * The build puts the catalogues in place of `glob`. Node alone has none: the source runs so only where its guards are
 * tested.
 */
function builtCatalogues(): Record<string, () => Promise<MessageModule>> {
  try {
    return import.meta.glob<MessageModule>('../resources/languages/*.json', { query: '?desktop' });
  } catch {
    return {};
  }
}

/** The language of menus, dialogs and notifications. Null, or one that there is not: that of the system. */
export async function showLanguageOfShell(wanted: string | null): Promise<void> {
  const languages = Object.keys(CATALOGUES).map((path) => path.slice(PATH('').indexOf('.json'), -'.json'.length));
  const system = Intl.DateTimeFormat().resolvedOptions().locale;
  const language = bestLanguage(wanted === null ? [system] : [wanted, system], languages, DEFAULT_LANGUAGE);
  const { default: make } = (await CATALOGUES[PATH(language)]?.()) ?? {};
  if (make !== undefined) {
    fillMessages(tree, make(messageFormatters(language, system)), directionOf(language) === 'rtl');
  }
}
