import { expect, test } from 'vitest';
import { deriveOpenApi } from '../../src-server/features/reference/openapi.ts';
import { answersOf, callsOf } from '../harness/openapi-lookup.ts';
import { OPERATIONS } from '../../src-server/features.ts';
import { PUBLIC_ROUTES } from '../../src-server/features.ts';

/**
 * What is computed from the operations, as files: a change of the public interface shows as a difference in review.
 * `npm run golden:update` writes them anew.
 */
const document = deriveOpenApi(OPERATIONS, PUBLIC_ROUTES, { version: '0.1.0', origin: 'http://127.0.0.1:8402' });

function challenges(): unknown[] {
  const paid = callsOf(document).filter(({ operation }) => operation['x-quarry-price'] !== undefined);
  return paid.flatMap(({ operation }) => {
    const required = answersOf(document, operation).find(([status]) => status === 402);
    return required?.[1].content?.['application/json']?.example ?? [];
  });
}

function routes(): string {
  const lines = callsOf(document).map(({ method, path, ownServer, operation }) => {
    const price = operation['x-quarry-price'];
    const cost = price ? `${price.amount} in ${price.maxTimeoutSeconds} s` : 'free';
    const statuses = Object.keys(operation.responses).join(' ');
    return `${method.toUpperCase()} ${ownServer === null ? '/v1' : ''}${path} | ${cost} | ${statuses}`;
  });
  return `${lines.sort().join('\n')}\n`;
}

test('the OpenAPI document is the reviewed one', async () => {
  await expect(`${JSON.stringify(document, null, 2)}\n`).toMatchFileSnapshot('openapi.json');
});

test('the payment challenges are the reviewed ones', async () => {
  await expect(`${JSON.stringify(challenges(), null, 2)}\n`).toMatchFileSnapshot('challenges.json');
});

test('the routes are the reviewed ones', async () => {
  await expect(routes()).toMatchFileSnapshot('routes.txt');
});
