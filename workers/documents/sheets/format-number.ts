import { itemAt } from '../../../src-server/platform/item-at.ts';
import type { FormatSection, FormatToken } from './number-format.ts';

/** Spreadsheet programs show 15 digits; further ones are zeros. */
const SIGNIFICANT_DIGITS = 15;

/** Excel's fractions have at most three digits. */
const DENOMINATOR_DIGITS_MAX = 7;

/** The absolute value of a number by a section with digits; null if the section is no valid format. */
export function formatNumber(value: number, section: FormatSection, general: (value: number) => string): string | null {
  const { tokens } = section;
  const tokenKindIndex = (kind: FormatToken['kind']) => tokens.findIndex((token) => token.kind === kind);
  if (tokens.filter(({ kind }) => kind === 'point').length > 1) return null;
  const percents = tokens.filter(({ kind }) => kind === 'percent').length;
  if (tokenKindIndex('exponent') !== -1) return formatScientificNumber(value, tokens, percents * 2);
  const slash = tokenKindIndex('slash');
  const isFraction = slash > 0 && tokens[slash - 1]?.kind === 'digit' && hasDenominator(tokens, slash);
  if (isFraction && percents === 0) return formatFraction(value, tokens, slash);
  const first = tokenKindIndex('digit');
  if (first === -1) return tokens.map((token) => formatTokenText(token, general(value))).join('');
  return formatFixedNumber(value, tokens, percents * 2, general(value));
}

function formatTokenText(token: FormatToken, general: string): string {
  switch (token.kind) {
    case 'literal':
      return token.text;
    case 'general':
    case 'text':
      return general;
    default:
      return SIGN_TEXTS[token.kind] ?? '';
  }
}

const SIGN_TEXTS: Partial<Record<FormatToken['kind'], string>> = { percent: '%', slash: '/', point: '.' };

function formatFixedNumber(value: number, tokens: readonly FormatToken[], shift: number, general: string): string {
  const point = tokens.findIndex(({ kind }) => kind === 'point');
  const isDigit = ({ kind }: FormatToken) => kind === 'digit';
  const whole = point === -1 ? tokens.length : point;
  const lastDigit = tokens.slice(0, whole).findLastIndex(isDigit);
  const lastOfAll = tokens.findLastIndex(isDigit);
  // Commas behind the digits divide by thousands.
  let thousands = 0;
  for (let at = lastDigit + 1; at > 0 && tokens[at]?.kind === 'comma'; at += 1) thousands += 1;
  for (let at = lastOfAll + 1; lastOfAll > whole && tokens[at]?.kind === 'comma'; at += 1) thousands += 1;
  const firstDigit = tokens.findIndex(isDigit);
  const isGrouped = tokens.some(({ kind }, at) => kind === 'comma' && at > firstDigit && at < lastDigit);
  const places = tokens.slice(whole).filter(isDigit).length;
  const [integer, decimals] = decimalDigits(value, places, shift - thousands * 3);
  const left = integerTexts(tokens.slice(0, whole), integer, isGrouped, general);
  return left + decimalText(tokens.slice(whole), decimals, general);
}

/** Digits before and behind the point, rounded to `places` after the value is multiplied by a power of ten. */
function decimalDigits(value: number, places: number, shift: number): [integer: string, decimals: string] {
  const [mantissa = '0', exponent = '0'] = value.toExponential(SIGNIFICANT_DIGITS - 1).split('e');
  const digits = BigInt(mantissa.replace('.', ''));
  // Digits kept of the fifteen, counted from the first.
  const kept = Number(exponent) + shift + 1 + places;
  let rounded = 0n;
  if (kept >= SIGNIFICANT_DIGITS) rounded = digits * 10n ** BigInt(kept - SIGNIFICANT_DIGITS);
  else if (kept >= 0) {
    const unit = 10n ** BigInt(SIGNIFICANT_DIGITS - kept);
    rounded = (digits + unit / 2n) / unit;
  }
  const text = rounded.toString().padStart(places + 1, '0');
  const integer = text.slice(0, text.length - places).replace(/^0+/, '');
  return [integer, places === 0 ? '' : text.slice(-places)];
}

/** Digits take their places from the right; the first place takes all that are left. */
function integerTexts(tokens: readonly FormatToken[], integer: string, isGrouped: boolean, general: string): string {
  const first = tokens.findIndex(({ kind }) => kind === 'digit');
  // Without a place for it, as in ".00", the integer is shown before the point.
  if (first === -1) return tokens.map((token) => formatTokenText(token, general)).join('') + integer;
  const texts: string[] = [];
  let left = integer;
  let shown = 0;
  const thousandsSeparator = () => (isGrouped && shown > 0 && shown % 3 === 0 ? ',' : '');
  for (let at = tokens.length - 1; at >= 0; at -= 1) {
    const token = itemAt(tokens, at);
    if (token.kind !== 'digit') {
      texts.push(formatTokenText(token, general));
      continue;
    }
    do {
      const digit = left.slice(-1);
      left = left.slice(0, -1);
      const blank = token.char === '#' ? '' : token.char === '?' ? ' ' : '0';
      const text = digit === '' ? blank : digit;
      if (text !== '' && text !== ' ') texts.push(text + thousandsSeparator());
      else if (text === ' ') texts.push(text);
      shown += 1;
    } while (at === first && left !== '');
  }
  return texts.reverse().join('');
}

function decimalText(tokens: readonly FormatToken[], decimals: string, general: string): string {
  const isNeeded = decimals.replace(/0+$/, '').length;
  let place = 0;
  return tokens
    .map((token) => {
      if (token.kind === 'point') return '.';
      if (token.kind !== 'digit') return formatTokenText(token, general);
      place += 1;
      const lastZero = Math.max(isNeeded, lastForced(tokens));
      if (place <= lastZero) return decimals[place - 1] ?? '0';
      return token.char === '?' ? ' ' : '';
    })
    .join('');
}

/** The last place that is shown whatever its digit. */
function lastForced(tokens: readonly FormatToken[]): number {
  const places = tokens.filter(({ kind }) => kind === 'digit');
  return places.findLastIndex((token) => token.kind === 'digit' && token.char === '0') + 1;
}

function formatScientificNumber(value: number, tokens: readonly FormatToken[], shift: number): string {
  const split = tokens.findIndex(({ kind }) => kind === 'exponent');
  const mantissa = tokens.slice(0, split);
  const isDigit = ({ kind }: FormatToken) => kind === 'digit';
  const point = mantissa.findIndex(({ kind }) => kind === 'point');
  const whole = point === -1 ? mantissa.length : point;
  const step = Math.max(1, mantissa.slice(0, whole).filter(isDigit).length);
  const places = mantissa.slice(whole).filter(isDigit).length;
  let exponent = value === 0 ? 0 : Number(value.toExponential(SIGNIFICANT_DIGITS - 1).split('e')[1]) + shift;
  exponent = Math.floor(exponent / step) * step;
  let [integer, decimals] = decimalDigits(value, places, shift - exponent);
  if (integer.length > step) {
    exponent += step;
    [integer, decimals] = decimalDigits(value, places, shift - exponent);
  }
  const sign = exponent < 0 ? '-' : signOf(tokens[split]);
  const left = integerTexts(mantissa.slice(0, whole), integer, false, '');
  const power = integerTexts(tokens.slice(split + 1), String(Math.abs(exponent)).replace(/^0$/, ''), false, '');
  return `${left}${decimalText(mantissa.slice(whole), decimals, '')}E${sign}${power}`;
}

function signOf(token: FormatToken | undefined): string {
  return token?.kind === 'exponent' && token.isSigned ? '+' : '';
}

/** `?/?`, `??/??` or `?/16`. */
function hasDenominator(tokens: readonly FormatToken[], slash: number): boolean {
  const next = tokens[slash + 1];
  return next?.kind === 'digit' || (next?.kind === 'literal' && /^[1-9]/.test(next.text));
}

interface FractionParts {
  /** Places of the integer; null in an improper fraction. */
  whole: readonly FormatToken[] | null;
  numerator: readonly FormatToken[];
  denominator: readonly FormatToken[];
  /** As stated: `?/16`. */
  stated: number | null;
  rest: readonly FormatToken[];
}

function formatFraction(value: number, tokens: readonly FormatToken[], slash: number): string {
  const parts = fractionParts(tokens, slash);
  const digits = Math.min(DENOMINATOR_DIGITS_MAX, parts.denominator.length);
  const integer = parts.whole === null ? 0 : Math.floor(value);
  const rest = value - integer;
  let [over, under] = parts.stated === null ? nearestFraction(rest, 10 ** digits - 1) : [0, parts.stated];
  if (parts.stated !== null) over = Math.round(rest * parts.stated);
  const isWhole = parts.whole !== null && over === under;
  const units = integer + (isWhole ? 1 : 0);
  if (isWhole) over = 0;
  const tail = parts.rest.map((token) => formatTokenText(token, '')).join('');
  const lead = parts.whole === null ? '' : integerTexts(parts.whole, units === 0 ? '' : String(units), false, '');
  const isBlank = over === 0 && parts.whole !== null && parts.numerator.every((token) => !isForced(token));
  if (isBlank) return (units === 0 ? `${lead.replace(/\s+$/, '')}0` : lead).replace(/^ *0?0$/, '0') + tail;
  const top = integerTexts(parts.numerator, over === 0 ? '0' : String(over), false, '');
  const bottom = parts.stated === null ? denominatorText(parts.denominator, under) : String(under);
  return `${lead}${top}/${bottom}${tail}`;
}

function isForced(token: FormatToken): boolean {
  return token.kind === 'digit' && token.char === '0';
}

function denominatorText(tokens: readonly FormatToken[], under: number): string {
  return tokens.every(isForced) ? String(under).padStart(tokens.length, '0') : String(under);
}

function fractionParts(tokens: readonly FormatToken[], slash: number): FractionParts {
  let start = slash;
  while (tokens[start - 1]?.kind === 'digit') start -= 1;
  const before = tokens.slice(0, start);
  const hasWhole = before.some(({ kind }) => kind === 'digit');
  let end = slash + 1;
  while (tokens[end]?.kind === 'digit') end += 1;
  const denominator = tokens.slice(slash + 1, end);
  const next = tokens[slash + 1];
  let stated: number | null = null;
  let rest = tokens.slice(end);
  if (next?.kind === 'literal') {
    const [digits = ''] = /^\d+/.exec(next.text) ?? [];
    let zeros = 0;
    // The zeros of a stated denominator are read as places: `?/100`.
    while (digits === next.text && isForced(tokens[slash + 2 + zeros] ?? next)) zeros += 1;
    stated = Number(digits) * 10 ** zeros;
    rest = [{ kind: 'literal', text: next.text.slice(digits.length) }, ...tokens.slice(slash + 2 + zeros)];
  }
  const whole = hasWhole ? before : null;
  // Text before an improper fraction is kept with its numerator.
  const numerator = hasWhole ? tokens.slice(start, slash) : tokens.slice(0, slash);
  return { whole, numerator, denominator, stated, rest };
}

/** The fraction nearest to a value of zero or more, with the smaller denominator of two equally near ones. */
function nearestFraction(value: number, limit: number): [numerator: number, denominator: number] {
  let low: [number, number] = [Math.floor(value), 1];
  let high: [number, number] = [low[0] + 1, 1];
  if (value - low[0] < 1e-9) return low;
  // Each step halves the interval of the Stern-Brocot tree or leaps along it; the limit bounds the steps.
  while (low[1] + high[1] <= limit) {
    const middle: [number, number] = [low[0] + high[0], low[1] + high[1]];
    if (Math.abs(middle[0] / middle[1] - value) < 1e-12) return middle;
    if (middle[0] / middle[1] < value) low = middle;
    else high = middle;
  }
  const nearLow = value - low[0] / low[1];
  const nearHigh = high[0] / high[1] - value;
  if (nearLow === nearHigh) return low[1] < high[1] ? low : high;
  return nearLow < nearHigh ? low : high;
}
