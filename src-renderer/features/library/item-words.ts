/** Items in words: their kind, length, language and day. */
import type { LibraryItem } from '../../api/generated/public.ts';
import type { ItemKind } from '../../api/library.ts';
import { dayBefore, localDay } from '../../api/reader-days.ts';
import { clockTime } from '../../components/format.ts';
import type { IconName } from '../../components/icon.tsx';
import { languageName as nameOfCode } from '../../components/language-name.ts';
import type { Kind } from '../../components/work.ts';
import { perLocale } from '../../language/locale.ts';
import { library as texts } from './texts.ts';

interface KindLook {
  icon: IconName;
  /** Whose stone it has. */
  group: Kind;
}

export const KIND_LOOKS: Record<ItemKind, KindLook> = {
  document: { icon: 'file-text', group: 'read' },
  talk: { icon: 'captions', group: 'transcribe' },
  page: { icon: 'panel-top', group: 'crawl' },
  site: { icon: 'globe', group: 'crawl' },
  sound: { icon: 'speech', group: 'speak' },
  text: { icon: 'pen-line', group: 'write' },
};

export const KINDS = Object.keys(KIND_LOOKS) as ItemKind[];

type Sized = Pick<LibraryItem, 'kind' | 'pages' | 'words' | 'seconds'>;

/** `42 pages`, `48:10`, `240 words`; null where nothing is known. */
export function lengthOf({ kind, pages, words, seconds }: Sized): string | null {
  if (seconds !== null && (kind === 'talk' || kind === 'sound')) return clockTime(seconds);
  if (pages !== null && (kind === 'site' || pages > 1 || words === null)) return texts.pages({ count: pages });
  return words === null ? null : texts.words({ count: words });
}

/** Where an item comes from, for people: the name of its file, or its address without the protocol. */
export function sourceName({ source }: Pick<LibraryItem, 'source'>): string {
  if (source.name !== null) return source.name;
  return source.url === null ? texts.made : source.url.replace(/^https?:\/\/(www\.)?/, '').replace(/\/$/, '');
}

/** `English` for `en`; what is no code stays as it is. */
export function languageName(code: string): string {
  try {
    return nameOfCode(code);
  } catch {
    return code;
  }
}

const weekday = perLocale(
  (locale) => new Intl.DateTimeFormat(locale, { weekday: 'long', day: 'numeric', month: 'long' }),
);
const dayOfPast = perLocale(
  (locale) => new Intl.DateTimeFormat(locale, { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' }),
);

/** `Today` and `Monday 23 November`; the name is empty for other days. */
export function dayWords(day: string, now: number): { name: string; date: string } {
  const noon = new Date(`${day}T12:00`);
  const isThisYear = noon.getFullYear() === new Date(now).getFullYear();
  const date = (isThisYear ? weekday() : dayOfPast()).format(noon);
  if (day === localDay(now)) return { name: texts.today, date };
  return day === dayBefore(now, 1) ? { name: texts.yesterday, date } : { name: date, date: '' };
}

/** How far an item was read or heard, from 0 to 1; null where it was not begun. */
export function shareRead({ position, pages, seconds }: LibraryItem): number | null {
  if (position?.page !== undefined && pages !== null && pages > 1) return Math.min(1, position.page / pages);
  if (position?.seconds !== undefined && seconds !== null && seconds > 0) return position.seconds / seconds;
  return null;
}

/** Sounds are heard as they are. */
export function canListen({ state, kind, deletedAt }: LibraryItem): boolean {
  return state === 'ready' && kind !== 'sound' && deletedAt === null;
}
