/** Personal data by kind and count. What is found is counted and forgotten; nothing of it leaves this file. */

const MAX_COUNTED = 10_000;
const MAX_CHAPTERS = 100;
const MAX_SECTIONS = 32;

interface Kind {
  kind: string;
  pattern: RegExp;
  isReal?(found: string): boolean;
}

/** In this order: what one kind took is not looked at by the next. Patterns have bounded repeats only. */
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

/** What every kind but e-mail has: a run of digits, digits with dots between them, or how an IBAN begins. */
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

/** ISO/IEC 7812: a first digit that cards have, and the check digit of Luhn. */
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
 * Loopback, private and documentation addresses are nobody's. Numbers of versions and sections have the same form: all
 * of their parts are small, as those of one address in a thousand are.
 */
function isPersonalAddress(found: string): boolean {
  const parts = found.split('.').map(Number);
  if (parts.some((part) => part > 255)) return false;
  if (parts.every((part, place) => part < (place === 0 ? MAX_CHAPTERS : MAX_SECTIONS))) return false;
  return !/^(?:0|10|127|192\.168|169\.254|192\.0\.2|198\.51\.100|203\.0\.113|172\.(?:1[6-9]|2\d|3[01])|255)\./.test(
    found,
  );
}
