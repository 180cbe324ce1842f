import { z } from 'zod';
import type { KeyIdentity } from '../../context.ts';
import { type EnvironmentName, EnvironmentQuery } from '../../operation.ts';
import {
  type AnswerDescription,
  BODY_ERRORS,
  jsonAnswer,
  type KeyScope,
  type Route,
  routesOf,
} from '../../platform/http/route.ts';
import { keyOfPrincipal } from '../accounts/service.ts';

const PageQuery = EnvironmentQuery.extend({
  limit: z.coerce.number().int().min(1).max(200).default(50),
  cursor: z.coerce.number().int().min(1).optional(),
});

/** `before` is the `seq` of the last row of the page before. */
export interface SourcePage {
  before: number | null;
  limit: number;
  status?: string | undefined;
}

/** What a route is called, and its description. */
type Words = readonly [operationId: string, summary: string, description: string];

/** The service of a kind of source, as its routes call it. */
interface SourceService<Request, Update> {
  list(): readonly object[];
  get(id: string): object;
  create(request: Request, key?: KeyIdentity): Promise<object>;
  change(id: string, update: Update, key?: KeyIdentity): Promise<object>;
  delete(id: string): Promise<void>;
}

interface SourceRoutesKind<Name extends string, Request, Update> {
  /** Its service in an environment. */
  name: Name;
  /** Of its routes, and the list in the answer. */
  path: string;
  idName: string;
  tag: string;
  keyScope?: KeyScope;
  /** `watch`, `feed`. */
  one: string;
  many: string;
  shown: z.ZodType<object>;
  request: { schema: z.ZodType<Request>; example: unknown };
  update: z.ZodType<Update>;
  /** Whether a change may be a conflict. */
  mayConflict?: boolean;
  words: Readonly<Record<'list' | 'create' | 'get' | 'change' | 'delete', Words>>;
}

/** The routes of a kind of source, mounted under `/admin`, behind the owner check. */
export class SourceRoutes<
  Name extends string,
  Request,
  Update,
  Service extends SourceService<Request, Update>,
  Deps extends Record<EnvironmentName, Record<Name, Service>> = Record<EnvironmentName, Record<Name, Service>>,
> {
  readonly #kind: SourceRoutesKind<Name, Request, Update>;
  readonly #route = routesOf<Deps>();
  readonly #params: Record<string, z.ZodType>;
  readonly #answer: AnswerDescription & { content: { schema: z.ZodType<object> } };
  readonly #path: string;

  constructor(kind: SourceRoutesKind<Name, Request, Update>) {
    this.#kind = kind;
    this.#params = { [kind.idName]: z.string().describe(`Identifier of the ${kind.one}.`) };
    this.#answer = jsonAnswer(`The ${kind.one}.`, kind.shown);
    this.#path = `/${kind.path}/{${kind.idName}}`;
  }

  /** List, create, read, change and delete. */
  get commonRoutes(): Route<Deps>[] {
    return [this.#listRoute(), this.#createRoute(), this.#getRoute(), this.#changeRoute(), this.#deleteRoute()];
  }

  /** `POST /<path>/{id}/<action>`, answered with 202. */
  actionRoute(
    action: string,
    words: Words,
    run: (service: Service, id: string) => object | Promise<object>,
    started = this.#answer,
  ): Route<Deps> {
    return this.#route(
      {
        ...this.#ofOne(words),
        method: 'post',
        path: `${this.#path}/${action}`,
        answers: { 202: started },
        errors: ['not_found', 'conflict'],
      },
      async (deps, { query, param, reply }) =>
        reply(202, await run(this.#serviceIn(deps, query().environment), param(this.#kind.idName))),
    );
  }

  /** `GET /<path>/{id}/<list>`: one page of what a source has, newest first. */
  pageRoute(
    list: string,
    item: z.ZodType<object>,
    words: Words,
    read: (service: Service, id: string, page: SourcePage) => { rows: readonly object[]; next: number | null },
    statuses?: readonly string[],
  ): Route<Deps> {
    return this.#route(
      {
        ...this.#ofOne(words),
        method: 'get',
        path: `${this.#path}/${list}`,
        query: statuses === undefined ? PageQuery : PageQuery.extend({ status: z.enum(statuses).optional() }),
        answers: {
          200: jsonAnswer('One page.', z.object({ [list]: z.array(item), nextCursor: z.string().nullable() })),
        },
        errors: ['not_found'],
      },
      (deps, { query, param, reply }) => {
        const { environment, cursor: before = null, limit, ...filter } = query();
        const service = this.#serviceIn(deps, environment);
        const { rows, next } = read(service, param(this.#kind.idName), { before, limit, ...filter });
        return reply(200, { [list]: rows, nextCursor: next === null ? null : String(next) });
      },
    );
  }

  #listRoute(): Route<Deps> {
    const { path, many, shown, words } = this.#kind;
    return this.#route(
      {
        ...this.#ofAll(words.list),
        method: 'get',
        answers: { 200: jsonAnswer(`All ${many}.`, z.object({ [path]: z.array(shown) })) },
      },
      (deps, { query, reply }) => reply(200, { [path]: this.#serviceIn(deps, query().environment).list() }),
    );
  }

  #createRoute(): Route<Deps> {
    const { idName, request, words } = this.#kind;
    return this.#route(
      {
        ...this.#ofAll(words.create),
        method: 'post',
        request,
        answers: { 201: this.#answer },
        errors: [...BODY_ERRORS, 'conflict'],
      },
      async (deps, { context, query, body, reply }) => {
        const service = this.#serviceIn(deps, query().environment);
        const made = await service.create(await body(), keyOfPrincipal(context.get('principal')));
        context.set('audited', { target: String(Object.entries(made).find(([field]) => field === idName)?.[1]) });
        return reply(201, made);
      },
    );
  }

  #getRoute(): Route<Deps> {
    const { idName, words } = this.#kind;
    return this.#route(
      { ...this.#ofOne(words.get), method: 'get', answers: { 200: this.#answer }, errors: ['not_found'] },
      (deps, { query, param, reply }) => reply(200, this.#serviceIn(deps, query().environment).get(param(idName))),
    );
  }

  #changeRoute(): Route<Deps> {
    const { idName, update, words, mayConflict = false } = this.#kind;
    return this.#route(
      {
        ...this.#ofOne(words.change),
        method: 'patch',
        request: { schema: update, example: { status: 'paused' } },
        answers: { 200: this.#answer },
        errors: [...BODY_ERRORS, 'not_found', ...(mayConflict ? (['conflict'] as const) : [])],
      },
      async (deps, { context, query, param, body, reply }) => {
        const key = keyOfPrincipal(context.get('principal'));
        const service = this.#serviceIn(deps, query().environment);
        return reply(200, await service.change(param(idName), await body(), key));
      },
    );
  }

  #deleteRoute(): Route<Deps> {
    const { idName, words } = this.#kind;
    return this.#route(
      {
        ...this.#ofOne(words.delete),
        method: 'delete',
        answers: { 204: { description: 'Deleted.' } },
        errors: ['not_found'],
      },
      async (deps, { query, param, end }) => {
        await this.#serviceIn(deps, query().environment).delete(param(idName));
        return end(204);
      },
    );
  }

  #serviceIn(deps: Deps, environment: EnvironmentName): Service {
    return deps[environment][this.#kind.name];
  }

  #ofAll([operationId, summary, description]: Words) {
    const { tag, keyScope, path } = this.#kind;
    const owner = { scope: 'owner', tag, auth: 'owner', query: EnvironmentQuery, path: `/${path}` } as const;
    const described = { ...owner, operationId, summary, description };
    return keyScope === undefined ? described : { ...described, keyScope };
  }

  #ofOne(words: Words) {
    return { ...this.#ofAll(words), path: this.#path, params: this.#params };
  }
}
