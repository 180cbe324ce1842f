import { OWNER, type Principal } from '../../context.ts';
import type { Operation } from '../../operation.ts';
import { QuarryError } from '../../platform/errors.ts';
import { invalidRequest } from '../../platform/http/validate.ts';
import { say, tell } from '../../platform/text/say.ts';
import { parseRequest, passwordOf, targetsOf } from './request-checks.ts';
import type { Recipe, WebhookMaker } from './schema.ts';

interface RecipeService {
  operations: readonly Operation[];
  checkTargets(maker: WebhookMaker, targets: readonly { path: string; url: string }[]): Promise<void>;
}

/** Fields that each source sets. */
const SOURCE_FIELDS = ['file', 'sourceUrl', 'url', 'sourceName'] as const;

/** An address that only has to be valid. */
const SAMPLE_ADDRESS = 'https://source.example/';

/** The field of an operation's request with the address of its source; null when it takes none. */
export function addressField({ source, addressField: field }: Operation): 'sourceUrl' | 'url' | null {
  return source === undefined ? (field ?? null) : 'sourceUrl';
}

/**
 * Checks a recipe before it has a source. Errors: `invalid_request`, with paths below `recipe`.
 *
 * @param takes what its sources are
 */
export async function checkRecipe(
  service: RecipeService,
  recipe: Recipe,
  takes: 'file' | 'address',
  principal: Principal = OWNER,
): Promise<void> {
  const operation = recipeOperationOf(service.operations, recipe, takes);
  for (const name of SOURCE_FIELDS) {
    if (!Object.hasOwn(recipe.request, name)) continue;
    throw invalidRequest([
      { path: `recipe.request.${name}`, message: tell`Leave ${name} out: each source sets its own.` },
    ]);
  }
  if (passwordOf(recipe.request) !== null) {
    const message = say`Leave the password out: it would be stored. Send files that need one by themselves.`;
    throw invalidRequest([{ path: 'recipe.request.options.password', message }]);
  }
  const field = takes === 'file' ? 'file' : (addressField(operation) ?? 'sourceUrl');
  const sample = { ...recipe.request, [field]: takes === 'file' ? 'upload:sample' : SAMPLE_ADDRESS };
  const request = withPrefix(() => parseRequest(operation, sample, principal));
  const targets = targetsOf(request).map(({ path, draft }) => ({ path: `recipe.request.${path}`, url: draft.url }));
  if (targets.length > 0) await service.checkTargets(principal, targets);
}

/** The call of a recipe for one source. */
export function callOf(
  operations: readonly Operation[],
  recipe: Recipe,
  source: { file: string; name: string } | { address: string; name?: string | undefined },
): { operationId: string; value: Record<string, unknown> } {
  const operation = recipeOperationOf(operations, recipe, 'file' in source ? 'file' : 'address');
  const field = 'file' in source ? 'file' : (addressField(operation) ?? 'sourceUrl');
  const name = source.name !== undefined && Object.hasOwn(operation.request.shape, 'sourceName') ? source.name : null;
  const value = { ...recipe.request, [field]: 'file' in source ? source.file : source.address };
  return { operationId: operation.id, value: name === null ? value : { ...value, sourceName: name } };
}

/**
 * Checks the addresses that a recipe is used with. Errors: `invalid_request`, with paths as `pathOf` gives them by
 * number.
 */
export function checkAddresses(
  operations: readonly Operation[],
  recipe: Recipe,
  sources: readonly { address: string; name?: string | undefined }[],
  principal: Principal,
  pathOf: (index: number, field: string) => string,
): void {
  for (const [index, source] of sources.entries()) {
    const { value } = callOf(operations, recipe, source);
    const operation = recipeOperationOf(operations, recipe, 'address');
    withPaths(
      () => parseRequest(operation, value, principal),
      (path) => pathOf(index, path === addressField(operation) ? 'sourceUrl' : path),
    );
  }
}

function recipeOperationOf(operations: readonly Operation[], { operation: id }: Recipe, takes: 'file' | 'address') {
  const able = operations.filter((one) =>
    takes === 'file' ? one.source !== undefined && one.source.urlIsPage !== true : addressField(one) !== null,
  );
  const operation = able.find((one) => one.id === id);
  if (operation !== undefined) return operation;
  const names = able.map((one) => one.id).join(', ');
  const message = tell`Give an operation that reads ${takes === 'file' ? 'files' : 'addresses'}: ${names}.`;
  throw invalidRequest([{ path: 'recipe.operation', message }]);
}

function withPrefix<Result>(work: () => Result): Result {
  return withPaths(work, (path) => `recipe.request.${path}`);
}

function withPaths<Result>(work: () => Result, pathOf: (path: string) => string): Result {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof QuarryError) || error.fields === undefined) throw error;
    throw invalidRequest(error.fields.map(({ path, message }) => ({ path: pathOf(path), message })));
  }
}
