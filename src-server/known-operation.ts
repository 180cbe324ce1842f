import { QuarryError } from './contract/index.ts';

/**
 * A list or search by an operation that there is not would find nothing, which looks like an answer.
 *
 * @param path of the field that names it. Errors: `invalid_request`.
 */
export function checkOperationId(
  operations: readonly { id: string }[],
  path: string,
  operationId: string | undefined,
): void {
  if (operationId === undefined || operations.some(({ id }) => id === operationId)) return;
  const message = `Give the name of an operation: ${operations.map(({ id }) => id).join(', ')}.`;
  throw new QuarryError('invalid_request', `${path}: ${message}`, { fields: [{ path, message }] });
}
