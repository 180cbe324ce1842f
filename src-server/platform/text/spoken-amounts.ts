/** Numbers, money, units, telephone numbers and addresses in English. */

import { byName } from '../records.ts';
import {
  digitByDigit,
  pluralizeWord,
  speakCardinal,
  speakDecimal,
  speakFraction,
  speakOrdinal,
  speakYear,
} from './spoken-numbers.ts';
import { anyWordPattern, defineSpokenRule, END, NUMBER, type Place, type Rule } from './spoken-rule.ts';
import { wordTable } from './word-table.ts';

const CURRENCIES: Readonly<Record<string, readonly [unit: string, part: string]>> = byName({
  $: ['dollar', 'cent'],
  '€': ['euro', 'cent'],
  '£': ['pound', 'penny'],
  '¥': ['yen', ''],
  '₹': ['rupee', 'paisa'],
  '₩': ['won', ''],
  '₽': ['rouble', 'kopeck'],
  '₺': ['lira', 'kurus'],
  USD: ['dollar', 'cent'],
  EUR: ['euro', 'cent'],
  GBP: ['pound', 'penny'],
  JPY: ['yen', ''],
  CHF: ['Swiss franc', 'centime'],
  CAD: ['Canadian dollar', 'cent'],
  AUD: ['Australian dollar', 'cent'],
});

const SIGN = '[$€£¥₹₩₽₺]';

const CODE = 'USD|EUR|GBP|JPY|CHF|CAD|AUD';

const UNCHANGING = new Set(['yen', 'won', 'lira', 'paisa', 'kurus']);

const SCALES: Readonly<Record<string, string>> = byName({
  k: 'thousand',
  m: 'million',
  mn: 'million',
  mm: 'million',
  b: 'billion',
  bn: 'billion',
  t: 'trillion',
});

const SCALE = `(?:\\s?(thousand|million|billion|trillion)|(k|K|M|mn|MM|B|bn|T))?${END}`;

const COUNTRIES: Readonly<Record<string, string>> = byName({
  US: 'U S ',
  CA: 'Canadian ',
  C: 'Canadian ',
  A: 'Australian ',
});

const TO = '\\s?[–—-]\\s?';

function pluralizeAmount(name: string, amount: string): string {
  if (amount === '1' || UNCHANGING.has(name)) return name;
  return name === 'penny' ? 'pence' : pluralizeWord(name);
}

/** `5.50` and `$` as `five dollars and fifty cents`. */
function speakMoney(sign: string, amount: string, scale: string): string {
  const [unit, part] = CURRENCIES[sign] ?? ['', ''];
  if (scale !== '')
    return `${speakDecimal(amount)} ${SCALES[scale.toLowerCase()] ?? scale} ${pluralizeAmount(unit, '2')}`;
  const [whole = '0', cents = ''] = amount.replace(/,/g, '').split('.');
  if (cents.length !== 2 || part === '') return `${speakDecimal(amount)} ${pluralizeAmount(unit, amount)}`;
  const small = `${speakCardinal(cents)} ${pluralizeAmount(part, String(Number(cents)))}`;
  if (Number(cents) === 0) return `${speakCardinal(whole)} ${pluralizeAmount(unit, whole)}`;
  return Number(whole) === 0 ? small : `${speakCardinal(whole)} ${pluralizeAmount(unit, whole)} and ${small}`;
}

const MONEY: readonly Rule[] = [
  defineSpokenRule(
    `(${SIGN})(${NUMBER})${TO}\\1?(${NUMBER})${SCALE}`,
    ([, sign = '', from = '', to = '', word, letter]) => {
      return `${speakDecimal(from)} to ${speakMoney(sign, to, word ?? letter ?? '')}`;
    },
  ),
  defineSpokenRule(`([-−])?(US|CA|C|A)?(${SIGN})\\s?(${NUMBER})${SCALE}`, (match) => {
    const [, minus = '', country = '', sign = '', amount = '', word, letter] = match;
    const before = `${minus === '' ? '' : 'minus '}`;
    const said = speakMoney(sign, amount, word ?? letter ?? '');
    return `${before}${country === '' ? said : said.replace('dollar', `${COUNTRIES[country]}dollar`)}`;
  }),
  defineSpokenRule(`(${CODE})\\s?(${NUMBER})${SCALE}`, ([, code = '', amount = '', word, letter]) =>
    speakMoney(code, amount, word ?? letter ?? ''),
  ),
  defineSpokenRule(
    `(${NUMBER})(?:\\s?(thousand|million|billion|trillion)|([kKMB]|bn))?\\s?(${SIGN}|(?:${CODE})${END})`,
    ([, amount = '', word, letter, sign = '']) => speakMoney(sign, amount, word ?? letter ?? ''),
  ),
  defineSpokenRule(
    `(${NUMBER})\\s?¢`,
    ([, amount = '']) => `${speakDecimal(amount)} ${pluralizeAmount('cent', amount)}`,
  ),
];

/** Each unit: its name for one, and for several where that is not regular. */
const UNITS = wordTable(`
  kg: kilogram; g: gram; mg: milligram; µg: microgram; t: tonne; lb: pound; lbs: pound; oz: ounce; km: kilometer
  m: meter; cm: centimeter; mm: millimeter; nm: nanometer; µm: micrometer; mi: mile; ft: foot, feet; yd: yard
  yds: yard; acre: acre; ha: hectare; l: liter; L: liter; ml: milliliter; mL: milliliter; cl: centiliter
  dl: deciliter; gal: gallon; tbsp: tablespoon; Tbsp: tablespoon; tbsps: tablespoon; tsp: teaspoon; tsps: teaspoon
  pt: pint; qt: quart; fl oz: fluid ounce; fl. oz.: fluid ounce; s: second; sec: second; secs: second
  ms: millisecond; min: minute; mins: minute; h: hour; hr: hour; hrs: hour; yr: year; yrs: year; mo: month; wk: week
  wks: week; Hz: hertz, hertz; kHz: kilohertz, kilohertz; MHz: megahertz, megahertz; GHz: gigahertz, gigahertz
  KB: kilobyte; kB: kilobyte; MB: megabyte; GB: gigabyte; TB: terabyte; PB: petabyte; KiB: kibibyte; MiB: mebibyte
  GiB: gibibyte; Kbps: kilobit per second; Mbps: megabit per second, megabits per second
  Gbps: gigabit per second, gigabits per second; W: watt; kW: kilowatt; MW: megawatt; GW: gigawatt; Wh: watt hour
  kWh: kilowatt hour; V: volt; mV: millivolt; kV: kilovolt; mA: milliamp; mAh: milliamp hour; Ω: ohm; J: joule
  kJ: kilojoule; kcal: kilocalorie; cal: calorie; N: newton; Pa: pascal; hPa: hectopascal; bar: bar; kPa: kilopascal
  psi: pound per square inch, pounds per square inch; dB: decibel; hp: horsepower, horsepower
  mph: mile per hour, miles per hour
  kph: kilometer per hour, kilometers per hour; kmh: kilometer per hour, kilometers per hour
  mpg: mile per gallon, miles per gallon; rpm: revolution per minute, revolutions per minute
  fps: frame per second, frames per second; dpi: dot per inch, dots per inch; px: pixel; MP: megapixel
  ppm: part per million, parts per million; %: percent, percent; ‰: per mille, per mille; °: degree
  °C: degree Celsius, degrees Celsius; °F: degree Fahrenheit, degrees Fahrenheit
  ° C: degree Celsius, degrees Celsius; ° F: degree Fahrenheit, degrees Fahrenheit
  ℃: degree Celsius, degrees Celsius; ℉: degree Fahrenheit, degrees Fahrenheit
`);

const UNIT = Object.keys(UNITS)
  .sort((a, b) => b.length - a.length)
  .map((name) => name.replace(/[.]/g, '\\.'))
  .join('|');

const PER = 'h|hr|s|sec|min|kg|g|m²|m2|m³|m3|km|l|L|day|week|month|mo|year|yr|hour|person|second|minute|unit|user';

const PER_NAMES = wordTable(`
  h: hour; hr: hour; s: second; sec: second; min: minute; mo: month; yr: year; l: liter; L: liter; kg: kilogram
  g: gram; km: kilometer; m²: square meter; m2: square meter; m³: cubic meter; m3: cubic meter
`);

const UNIT_TAIL = `(?<unit>${UNIT})(?<power>[²³]|\\^[23])?(?:/(?<per>${PER}))?${END}`;

function speakUnit(match: RegExpExecArray, isOne: boolean): string {
  const { unit = '', power, per } = match.groups ?? {};
  const [one = unit, several = pluralizeWord(one)] = UNITS[unit]?.split(', ') ?? [];
  const raised = power === undefined ? '' : /2|²/.test(power) ? 'square ' : 'cubic ';
  const rate = per === undefined ? '' : ` per ${PER_NAMES[per] ?? per}`;
  return `${raised}${isOne ? one : several}${rate}`;
}

const VULGAR = wordTable(`
  ½: 1/2; ⅓: 1/3; ⅔: 2/3; ¼: 1/4; ¾: 3/4; ⅕: 1/5; ⅖: 2/5; ⅗: 3/5; ⅘: 4/5; ⅙: 1/6; ⅚: 5/6; ⅐: 1/7; ⅛: 1/8; ⅜: 3/8
  ⅝: 5/8; ⅞: 7/8; ⅑: 1/9; ⅒: 1/10
`);

const VULGARS = `[${Object.keys(VULGAR).join('')}]`;

/** With a whole number before it: `two and a half`. */
function speakMixedNumber(whole: string, part: string): string {
  const [top = '', bottom = ''] = (VULGAR[part] ?? part).split('/');
  const said = speakFraction(top, bottom);
  return whole === '' ? said : `${speakCardinal(whole)} and ${said.replace(/^one /, bottom === '8' ? 'an ' : 'a ')}`;
}

const MEASURES: readonly Rule[] = [
  defineSpokenRule(`(\\d{1,2})['′’](\\d{1,2})(?:["″”])?${END}`, ([, feet = '', inches = '']) => {
    const names = [feet === '1' ? 'foot' : 'feet', inches === '1' ? 'inch' : 'inches'];
    return `${speakCardinal(feet)} ${names[0]} ${speakCardinal(inches)} ${names[1]}`;
  }),
  defineSpokenRule(`([-−–])?(${NUMBER})(?:${TO}|\\sto\\s)(${NUMBER})\\s?${UNIT_TAIL}`, (match, place) => {
    const [, minus, from = '', to = ''] = match;
    return `${minusPrefix(minus, place)}${speakDecimal(from)} to ${speakDecimal(to)} ${speakUnit(match, false)}`;
  }),
  defineSpokenRule(`(\\d{0,6})(?:\\s)?(${VULGARS}|(?<=\\d\\s)\\d{1,2}/\\d{1,2})\\s?${UNIT_TAIL}`, (match) => {
    return `${speakMixedNumber(match[1] ?? '', match[2] ?? '')} ${speakUnit(match, false)}`;
  }),
  defineSpokenRule(`(\\d{1,3})/(\\d{1,3})\\s?${UNIT_TAIL}`, (match) => {
    const [, top = '', bottom = ''] = match;
    return Number(top) < Number(bottom) ? `${speakFraction(top, bottom)} ${speakUnit(match, true)}` : null;
  }),
  defineSpokenRule(`([-−–])?(${NUMBER})[\\s-]?${UNIT_TAIL}`, (match, place) => {
    const [whole, minus, amount = ''] = match;
    if (/^\d+ [smhgt]$/.test(whole) && /^\s\p{Lu}/u.test(place.line.slice(place.at + whole.length))) return null;
    const unit = speakUnit(match, amount === '1' || /\d-\p{L}/u.test(whole));
    return `${minusPrefix(minus, place)}${speakDecimal(amount)} ${unit}`;
  }),
];

function minusPrefix(sign: string | undefined, { begins }: Place): string {
  return sign !== undefined && begins ? 'minus ' : '';
}

function speakPhoneNumber(text: string): string {
  const plus = text.startsWith('+') ? 'plus ' : '';
  return (
    plus +
    (text.match(/\d+/g) ?? []).map((group) => (group === '800' ? 'eight hundred' : digitByDigit(group))).join(', ')
  );
}

const PHONES: readonly Rule[] = [
  defineSpokenRule(`\\+\\d{1,3}(?:[ .-]?\\(?\\d{1,5}\\)?){1,5}(?![\\d])`, ([text]) =>
    text.replace(/\D/g, '').length >= 7 ? speakPhoneNumber(text) : null,
  ),
  defineSpokenRule(`(?:1[ .-])?\\(?\\d{3}\\)\\s?\\d{3}[ .-]\\d{4}(?!\\d)`, ([text]) => speakPhoneNumber(text)),
  defineSpokenRule(`(?:1[.-])?\\d{3}[.-]\\d{3}[.-]\\d{4}(?!\\d)`, ([text]) => speakPhoneNumber(text)),
  defineSpokenRule(`\\d{3}-\\d{4}(?![\\d-])`, ([text]) => speakPhoneNumber(text)),
];

export const AMOUNTS: readonly Rule[] = [...PHONES, ...MONEY, ...MEASURES];

const ENDINGS = 'com|org|net|io|dev|edu|gov|info|co\\.uk|ai|app|de|fr|eu';

/** Addresses on the web and of mail. */
export const LOCATIONS: readonly Rule[] = [
  defineSpokenRule(
    `(?:https?://|ftp://|www\\.)[^\\s<>"]{0,2000}[^\\s<>".,;:!?)\\]]`,
    ([text]) => locationOf(text),
    'uyi',
  ),
  defineSpokenRule(`[\\w.+-]{1,64}@(?:[a-z\\d-]{1,63}\\.){1,5}[a-z]{2,20}${END}`, ([text]) => locationOf(text), 'uyi'),
  defineSpokenRule(
    `(?:[a-z\\d-]{1,63}\\.){1,4}(?:${ENDINGS})${END}(?:/[^\\s<>"]{0,2000}[^\\s<>".,;:!?)\\]]|/)?`,
    ([text]) => locationOf(text),
    'uyi',
  ),
];

/** Versions and addresses of machines. */
export const DOTTED: readonly Rule[] = [
  defineSpokenRule(
    `v(\\d{1,4}(?:\\.\\d{1,6}){1,4})${END}`,
    ([, number = '']) => `version ${speakDottedNumber(number, 'point')}`,
    'uyi',
  ),
  defineSpokenRule(`\\d{1,3}(?:\\.\\d{1,3}){3}(?![\\d.]*\\d)`, ([text]) => speakDottedNumber(text, 'dot')),
  defineSpokenRule(`\\d{1,4}(?:\\.\\d{1,6}){2,4}(?!\\d)`, ([text]) => speakDottedNumber(text, 'point')),
];

function speakDottedNumber(text: string, sign: string): string {
  return text.split('.').map(speakCardinal).join(` ${sign} `);
}

const LOCATION_SIGNS = wordTable(`
  .: dot; /: slash; -: dash; _: underscore; ?: question mark; =: equals; &: and; #: hash; %: percent; ~: tilde
  :: colon; @: at; +: plus; ,: comma
`);

function locationOf(text: string): string | null {
  // Punctuation at the end belongs to the sentence: it is left to be spoken as such.
  const address = text.replace(/^[a-z]+:\/\//i, '').replace(/\/$/, '');
  return address
    .replace(/^www\./i, 'w w w.')
    .replace(/[.,;:!?)\]]+$/, '')
    .replace(/\d+/g, (digits) => ` ${digits.length > 2 ? digitByDigit(digits) : speakCardinal(digits)} `)
    .replace(/[./_?=&#%~:@+,-]/g, (sign) => ` ${LOCATION_SIGNS[sign]} `)
    .replace(/\s+/g, ' ')
    .trim();
}

/** Words before a number that is a year. */
const BEFORE_YEAR = anyWordPattern(
  'in since of from by until till year during before after circa around to and spring summer autumn fall ' +
    'winter early late mid class ©',
);

export const NUMBERS: readonly Rule[] = [
  defineSpokenRule(`24/7${END}`, () => 'twenty-four seven'),
  defineSpokenRule(`9/11${END}`, () => 'nine eleven'),
  defineSpokenRule(`(50/50|20/20)${END}`, ([text]) => text.split('/').map(speakCardinal).join(' ')),
  defineSpokenRule(`(\\d{1,6})\\s(\\d{1,2}/\\d{1,2})${END}`, ([, whole = '', part = '']) => {
    const [top = '', bottom = ''] = part.split('/');
    return Number(top) < Number(bottom) ? speakMixedNumber(whole, part) : null;
  }),
  defineSpokenRule(`(\\d{0,6})\\s?(${VULGARS})`, ([, whole = '', part = '']) => speakMixedNumber(whole, part)),
  defineSpokenRule(`(\\d{1,3})[/⁄](\\d{1,3})(?![\\d/])`, ([, top = '', bottom = '']) => {
    return Number(top) < Number(bottom)
      ? speakFraction(top, bottom)
      : `${speakCardinal(top)} over ${speakCardinal(bottom)}`;
  }),
  defineSpokenRule(`#(${NUMBER})${END}`, ([, number = '']) => `number ${speakDecimal(number)}`),
  defineSpokenRule(`№\\s?(${NUMBER})`, ([, number = '']) => `number ${speakDecimal(number)}`),
  defineSpokenRule(`(\\d{1,15}|\\d{1,3}(?:,\\d{3}){1,4})(?:st|nd|rd|th)${END}`, ([, number = '']) =>
    speakOrdinal(number.replace(/,/g, '')),
  ),
  defineSpokenRule(`([48])K${END}`, ([, number = '']) => `${speakCardinal(number)} K`),
  defineSpokenRule(
    `(${NUMBER})([kKMB]|bn)${END}`,
    ([, number = '', scale = '']) => `${speakDecimal(number)} ${SCALES[scale.toLowerCase()]}`,
  ),
  defineSpokenRule(
    `(\\d{1,2}):(\\d{1,2}|100)(?!\\d)`,
    ([, one = '', other = '']) => `${speakCardinal(one)} to ${speakCardinal(other)}`,
  ),
  defineSpokenRule(
    `(${NUMBER})${TO}(${NUMBER})(?![\\d-])${END}`,
    ([, from = '', to = '']) => `${speakDecimal(from)} to ${speakDecimal(to)}`,
  ),
  defineSpokenRule(
    `(${NUMBER})\\s?x\\s?(${NUMBER})${END}`,
    ([, one = '', other = '']) => `${speakDecimal(one)} by ${speakDecimal(other)}`,
  ),
  defineSpokenRule(`(\\d{1,9}(?:\\.\\d{1,9})?)[eE]([+-]?)(\\d{1,3})${END}`, ([, base = '', sign = '', power = '']) => {
    return `${speakDecimal(base)} times ten to the ${sign === '-' ? 'minus ' : ''}${speakOrdinal(power)}`;
  }),
  defineSpokenRule(`(\\d{1,9})([⁰¹²³⁴-⁹]+)`, ([, base = '', power = '']) => powerOf(speakCardinal(base), power)),
  defineSpokenRule(`\\.(\\d{1,20})${END}`, ([, part = ''], { begins }) =>
    begins ? `point ${digitByDigit(part)}` : null,
  ),
  defineSpokenRule(`([-−–])(${NUMBER})`, ([, , number = ''], { begins }) =>
    begins ? `minus ${speakDecimal(number)}` : null,
  ),
  defineSpokenRule(`\\d{1,3}(?:[ \\u00a0\\u202f\\u2009]\\d{3}){1,5}(?!\\d)`, ([text]) =>
    /[\u00a0\u202f\u2009]/.test(text) ? speakCardinal(text.replace(/\D/g, '')) : null,
  ),
  defineSpokenRule(`0\\d{1,20}(?![\\d.,]\\d)${END}`, ([text]) => digitByDigit(text)),
  defineSpokenRule(`(1\\d{3}|20\\d{2})(?![\\d,.]\\d)(?!\\d)${END}`, ([text], { previous, line, at }) => {
    if (text.startsWith('10') && !BEFORE_YEAR.test(previous)) return null;
    const next = /^\s(\p{Ll}+)/u.exec(line.slice(at + text.length))?.[1] ?? '';
    if (next.length > 3 && next.endsWith('s') && !BEFORE_YEAR.test(previous) && !/^(?:was|has|is)$/.test(next))
      return null;
    return speakYear(text);
  }),
  defineSpokenRule(`(${NUMBER})`, ([text]) => speakDecimal(text)),
];

const POWERS = '⁰¹²³⁴⁵⁶⁷⁸⁹';

const RAISED_LETTERS = 'ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻ';

const RAISED = `[${POWERS}${RAISED_LETTERS}⁺⁻⁼⁽⁾]`;

const RAISED_SIGNS: Readonly<Record<string, string>> = byName({
  '⁺': 'plus',
  '⁻': 'minus',
  '⁼': 'equals',
  '⁽': '',
  '⁾': '',
});

/** A charge, as of an ion. */
const CHARGE = new RegExp(`^[${POWERS}]*[⁺⁻]$`);

/** Powers with signs and letters. Raised letters alone are marks of notes, or ends of words. */
export const EXPRESSIONS: readonly Rule[] = [
  defineSpokenRule(
    `(\\d{1,9}|[A-Za-z]{1,3})(${RAISED}{0,24}[⁺⁻⁼]${RAISED}{0,24}|` +
      `[${POWERS}]{1,9}[${RAISED_LETTERS}]${RAISED}{0,24}|[ⁿˣʸᶻ](?!${RAISED}))`,
    ([, base = '', power = '']) => {
      const spokenBase = /\d/.test(base) ? speakCardinal(base) : base;
      return `${spokenBase} ${CHARGE.test(power) ? '' : 'to the power of '}${speakRaised(power)}`;
    },
  ),
];

function speakRaised(power: string): string {
  const parts = power.match(new RegExp(`[${POWERS}]+|.`, 'gu')) ?? [];
  const words = parts.map((part) => {
    if (RAISED_LETTERS.includes(part)) return part.normalize('NFKC');
    return RAISED_SIGNS[part] ?? speakCardinal(Array.from(part, (digit) => POWERS.indexOf(digit)).join(''));
  });
  return words.filter((word) => word !== '').join(' ');
}

function powerOf(base: string, power: string): string {
  const digits = [...power].map((digit) => POWERS.indexOf(digit)).join('');
  if (digits === '2' || digits === '3') return `${base} ${digits === '2' ? 'squared' : 'cubed'}`;
  return `${base} to the power of ${speakCardinal(digits)}`;
}

/** Signs between numbers, and units without a number. */
export const OPERATORS: readonly Rule[] = [
  defineSpokenRule(`\\+(?=\\s?\\d|\\s\\p{L})`, () => 'plus'),
  defineSpokenRule(`=`, () => 'equals'),
  defineSpokenRule(`[×](?=\\s?[\\d\\p{L}])|\\*(?=\\s?\\d)`, () => 'times'),
  defineSpokenRule(`÷`, () => 'divided by'),
  defineSpokenRule(`±`, () => 'plus or minus'),
  defineSpokenRule(`≈|~(?=\\d)`, () => 'about'),
  defineSpokenRule(`≤`, () => 'at most'),
  defineSpokenRule(`≥`, () => 'at least'),
  defineSpokenRule(`≠`, () => 'is not'),
  defineSpokenRule(`→`, () => 'to'),
  defineSpokenRule(`<(?=\\s?\\d)`, () => 'less than'),
  defineSpokenRule(`>(?=\\s?\\d)`, () => 'more than'),
  defineSpokenRule(`−(?=\\s?[\\d\\p{L}])`, () => 'minus'),
  defineSpokenRule(`°\\s?C${END}`, () => 'degrees Celsius'),
  defineSpokenRule(`°\\s?F${END}`, () => 'degrees Fahrenheit'),
  defineSpokenRule(`°`, () => 'degrees'),
  defineSpokenRule(`%`, () => 'percent'),
  defineSpokenRule(`[$€£₹¥](?!\\d)`, ([sign]) => pluralizeWord(CURRENCIES[sign]?.[0] ?? '').replace('yens', 'yen')),
  defineSpokenRule(`§\\s?`, () => 'section'),
  defineSpokenRule(`[™®©]`, () => ''),
  defineSpokenRule(`\\^(?=[(\\d\\p{L}])`, () => 'to the power of'),
  defineSpokenRule(`²`, () => 'squared'),
  defineSpokenRule(`³`, () => 'cubed'),
  // The remaining superscripts are footnote marks.
  defineSpokenRule(`[⁰¹⁴-⁹]+`, () => ''),
  defineSpokenRule(`/(${PER})${END}`, ([, per = '']) => `per ${PER_NAMES[per] ?? per}`),
  defineSpokenRule(`[–—]+|-{2,}`, (_match, { begins }) => (begins ? '' : ',')),
];
