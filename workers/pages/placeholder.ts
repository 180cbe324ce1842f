/**
 * Pages that show only a placeholder until their scripts run: a word such as Loading, names of fields in braces, or
 * little text beside a part that scripts are to fill.
 */

import { textWidth } from '../../src-server/platform/text/text-width.ts';
import type { Block } from '../documents/blocks.ts';
import { blockText, isSentence } from './block-evidence.ts';
import type { PageScan } from './scan-page.ts';

/** A page with more text shows more than a placeholder. */
const MAX_WIDTH = 240;

const MAX_BLOCKS = 10;

/** How to turn scripts on, for several browsers. */
const MAX_ADVICE_WIDTH = 800;

const MAX_MENU_BLOCKS = 40;

/** The name of a field in a page that a framework fills: `{{ title }}`. */
const FIELD = /\{\{[^{}]{1,100}\}\}/g;

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

/** Tells how to turn scripts on. */
const SCRIPT_ADVICE = wordAlternation([
  '(?:enable|allow|activate|turn on|switch on|requires?|needs?|without|with) javascript',
  'javascript (?:is|must be|has to be|needs to be) (?:disabled|enabled|required|turned (?:on|off)|blocked)',
  ...['javascript (?:aktivieren|einschalten|ist deaktiviert)', '(?:activer|activez) javascript'],
  ...['(?:habilitar?|habilite|active|activar) (?:el )?javascript', '(?:abilita|attiva)(?:re)? javascript'],
]);

const NEEDS_SCRIPTS = wordAlternation([
  'javascript',
  'checking your browser',
  'uses? cookies',
  'accept (?:all )?cookies',
  'cookies? (?:policy|settings)',
  ...['verwendet cookies', 'utilise des cookies', 'utiliza cookies', 'usa cookies', 'utilizza cookie'],
]);

type Evidence = Pick<PageScan, 'hasScripts' | 'hasEmptyPart' | 'awaitsScripts' | 'isFrameset'>;

function wordAlternation(words: readonly string[]): RegExp {
  return new RegExp(`(?<![\\p{L}\\p{N}])(?:${words.join('|')})(?![\\p{L}\\p{N}])`, 'iu');
}

/** A short text that goes on, as `Un instant…`. */
const GOES_ON = /(?:…|\.\.\.)$/;

/** Whether a page with scripts, or one of frames, shows nothing but a placeholder. */
export function isPlaceholder(blocks: readonly Block[], scan: Evidence): boolean {
  const { hasScripts, hasEmptyPart, awaitsScripts, isFrameset } = scan;
  if (isFrameset && blocks.length === 0) return true;
  if (!(hasScripts || isFrameset) || blocks.length === 0) return false;
  const texts = blocks.map((block) => blockText(block).trim());
  const fields = blocks.filter((block) => block.kind !== 'code' && isMostlyFields(blockText(block)));
  // Beside a part that scripts are to fill, menus are no text of the page.
  const isMenu = hasEmptyPart && blocks.length <= MAX_MENU_BLOCKS;
  const told = blocks.filter((block) => !fields.includes(block) && (!isMenu || isSentence(block)));
  const width = told.reduce((sum, block) => sum + textWidth(blockText(block)), 0);
  const isAdvice = SCRIPT_ADVICE.test(texts[0] ?? '') && textWidth(texts[0] ?? '') <= MAX_WIDTH;
  if (width > (isAdvice ? MAX_ADVICE_WIDTH : MAX_WIDTH)) return false;
  if (isAdvice || hasEmptyPart || awaitsScripts || isFrameset || fields.length > 0) return true;
  if (blocks.length > MAX_BLOCKS) return false;
  const isPlaceholderNotice = (text: string) => NEEDS_SCRIPTS.test(text) || isWaiting(text);
  return texts.some(isPlaceholderNotice) && texts.every((text) => isPlaceholderNotice(text) || isLabel(text));
}

function isMostlyFields(text: string): boolean {
  const plain = text.replaceAll(FIELD, '');
  return plain.length < text.length / 2;
}

function isLabel(text: string): boolean {
  return textWidth(text) <= MAX_LABEL_WIDTH && !/[.!?。！？]$/.test(text);
}

function isWaiting(text: string): boolean {
  if (textWidth(text) > MAX_WAITING_WIDTH) return false;
  const words = WAITING.exec(text) ?? WAITING_DENSE.exec(text);
  return GOES_ON.test(text) || (words?.[0].length ?? 0) > text.length * WAITING_SHARE;
}
