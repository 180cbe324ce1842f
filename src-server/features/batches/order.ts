import type { Context } from 'hono';
import type { z } from 'zod';
import type { Operation } from '../../operation.ts';
import { QuarryError } from '../../platform/errors.ts';
import type { HttpEnv } from '../../platform/http/env.ts';
import { invalidRequest } from '../../platform/http/validate.ts';
import { tell } from '../../platform/text/say.ts';
import { addressField } from '../jobs/service.ts';
import type { Order } from '../payments/service.ts';
import { BatchOrder as OrderQuery } from './schema.ts';

export type BatchOrder = z.output<typeof OrderQuery>;

/**
 * What a payment for a batch buys. It is in the query, so the price is known before the body is read: a caller without
 * a proof sends no files, and the proof is checked before anything is stored. Errors: `invalid_request`.
 */
export function orderOf(operations: readonly Operation[], { operation, items }: BatchOrder): Order {
  const able = operations.filter((one) => one.price !== null && addressField(one) !== null).map(({ id }) => id);
  const operationId = able.find((id) => id === operation);
  if (operationId !== undefined && items !== undefined) return { operationId, items };
  const [path, what] =
    operationId === undefined ? ['operation', `the operation (${able.join(', ')})`] : ['items', 'the number of items'];
  throw invalidRequest([
    { path, message: tell`Give ${what} in the query: the price is stated before the body is read.` },
  ]);
}

/** The order of a request that brings a proof; null where it names none, and is refused later. */
export function orderOfRequest(operations: readonly Operation[]): (context: Context<HttpEnv>) => Order | null {
  return (context) => {
    const query = OrderQuery.safeParse(context.req.query());
    try {
      return query.success ? orderOf(operations, query.data) : null;
    } catch (error) {
      if (error instanceof QuarryError) return null;
      throw error;
    }
  };
}
