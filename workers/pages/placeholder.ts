/** Pages that show only a placeholder until their scripts run: a word such as Loading, or an empty frame. */

import { textWidth } from '../../src-server/platform/text/text-width.ts';
import type { Block } from '../documents/blocks.ts';
import { blockText } from './block-evidence.ts';
import type { PageScan } from './scan-page.ts';

/** A page with more text shows more than a placeholder. */
const MAX_WIDTH = 240;

const MAX_BLOCKS = 10;

/** Longer blocks beside a placeholder are content. */
const MAX_LABEL_WIDTH = 60;

/** Such a text is longer only if it tells of something else. */
const MAX_WAITING_WIDTH = 40;

/** Share of such a text that its words for waiting have. */
const WAITING_SHARE = 0.3;

const WAITING = wordAlternation([
  ...[
    '(?:page )?(?:is )?loading',
    '(?:please )?(?:wait|stand by|hold on)',
    '(?:just )?(?:a|one) moment',
    'initiali[sz]ing',
  ],
  ...['fetching', 'starting (?:up|the app)', 'redirecting', 'one sec(?:ond)?', 'hang (?:on|tight)'],
  ...['wird geladen', 'lädt', 'lade(?:n|t)?', 'bitte warten', 'einen moment', 'chargement', 'veuillez patienter'],
  ...['un instant', 'cargando', 'espere', 'un momento', 'caricamento', 'attendere', 'carregando', 'aguarde', 'laden'],
  ...[
    'even geduld',
    'ładowanie',
    'proszę czekać',
    'načítání',
    'laddar',
    'ladataan',
    'indlæser',
    'yükleniyor',
    'memuat',
  ],
  ...['загрузка', 'загружается', 'подождите', 'завантаження', 'φόρτωση', 'טוען', 'جار(?:ي)? التحميل', 'đang tải'],
]);

const WAITING_DENSE = /読み込?み中|読込中|ロード中|お待ち|加载|載入|载入|请稍候|請稍候|로딩|불러오는|잠시만/;

const NEEDS_SCRIPTS = wordAlternation([
  'javascript',
  'checking your browser',
  'uses? cookies',
  'accept (?:all )?cookies',
  'cookies? (?:policy|settings)',
  ...['verwendet cookies', 'utilise des cookies', 'utiliza cookies', 'usa cookies', 'utilizza cookie'],
]);

function wordAlternation(words: readonly string[]): RegExp {
  return new RegExp(`(?<![\\p{L}\\p{N}])(?:${words.join('|')})(?![\\p{L}\\p{N}])`, 'iu');
}

/** A short text that goes on, as `Un instant…`. */
const GOES_ON = /(?:…|\.\.\.)$/;

/** Whether a page with scripts shows nothing but a placeholder. */
export function isPlaceholder(blocks: readonly Block[], { hasScripts, hasEmptyFrame }: PageScan): boolean {
  if (!hasScripts || blocks.length === 0 || blocks.length > MAX_BLOCKS) return false;
  const texts = blocks.map((block) => blockText(block).trim());
  if (texts.reduce((sum, text) => sum + textWidth(text), 0) > MAX_WIDTH) return false;
  const isPlaceholderNotice = (text: string) => NEEDS_SCRIPTS.test(text) || isWaiting(text);
  if (texts.some(isPlaceholderNotice)) return texts.every((text) => isPlaceholderNotice(text) || isLabel(text));
  return hasEmptyFrame && texts.every(isLabel);
}

function isLabel(text: string): boolean {
  return textWidth(text) <= MAX_LABEL_WIDTH && !/[.!?。！？]$/.test(text);
}

function isWaiting(text: string): boolean {
  if (textWidth(text) > MAX_WAITING_WIDTH) return false;
  const words = WAITING.exec(text) ?? WAITING_DENSE.exec(text);
  return GOES_ON.test(text) || (words?.[0].length ?? 0) > text.length * WAITING_SHARE;
}
