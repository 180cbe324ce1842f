import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { PAYMENT_CODES, UNAVAILABLE_CODES } from '../../src-server/features/payments/codes.ts';

const page = readFileSync(new URL('../../resources/reference/payment-errors.md', import.meta.url), 'utf8');

test('the reference explains every code a payment can be refused with, and no other', () => {
  const explained = [...page.matchAll(/^\| `([a-z0-9_]+)` \|/gm)].map(([, code]) => code);
  expect(explained.sort()).toEqual([...PAYMENT_CODES, ...UNAVAILABLE_CODES].sort());
});
