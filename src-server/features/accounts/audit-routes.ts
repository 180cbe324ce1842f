import { z } from 'zod';
import { toIsoTime } from '../../platform/clock.ts';
import { jsonAnswer, routesOf } from '../../platform/http/route.ts';
import { AUDIT_DAYS, AUDIT_KINDS, type AuditEntry, type AuditLog } from './audit.ts';

const PAGE_MAX = 200;

const PAGE_BY_DEFAULT = 50;

const Time = z.iso.datetime({ precision: 3 });

const Instant = z.iso.datetime({ offset: true });

const AuditQuery = z.object({
  kind: z.enum(AUDIT_KINDS).optional().describe('`run`: an operation was called; `change`: everything else.'),
  actor: z.string().min(1).max(60).optional().describe('Identifier of a key, or `owner`.'),
  outcome: z.enum(['done', 'refused']).optional().describe('`refused`: answered with an error.'),
  from: Instant.optional().describe('Answered at or after.'),
  to: Instant.optional().describe('Answered before.'),
  limit: z.coerce.number().int().min(1).max(PAGE_MAX).default(PAGE_BY_DEFAULT),
  cursor: z.coerce.number().int().min(1).optional(),
});

const Entry = z
  .object({
    entryId: z.string(),
    at: Time,
    kind: z.enum(AUDIT_KINDS),
    keyId: z.string().nullable().describe('Null for the owner.'),
    keyName: z.string().nullable().describe('Name that the key had then.'),
    method: z.string(),
    route: z.string().describe('Declared path, with parameters in braces.'),
    target: z.string().nullable().describe('What the request named or made: an identifier, or names of settings.'),
    status: z.int(),
    code: z.string().nullable().describe('Code of the error.'),
    requestId: z.string().describe('`X-Request-Id` of the answer.'),
  })
  .meta({ id: 'AuditEntry' });

const route = routesOf<{ audit: AuditLog }>();

/** What the owner and keys did. Mounted under `/admin`, behind the owner check. */
export const ADMIN_AUDIT_ROUTES = [
  route(
    {
      scope: 'owner',
      tag: 'Keys',
      auth: 'owner',
      method: 'get',
      path: '/audit',
      operationId: 'listAuditEntries',
      summary: 'List the actions of the owner and of keys',
      description:
        'Newest first. Requests that only read are not recorded, and no entry holds a secret or a body. Entries are ' +
        `deleted after ${AUDIT_DAYS} days, and earlier beyond 50,000 of a kind.`,
      query: AuditQuery,
      answers: {
        200: jsonAnswer('One page.', z.object({ entries: z.array(Entry), nextCursor: z.string().nullable() })),
      },
    },
    ({ audit }, { context, query, reply }) => {
      const { limit, cursor, from, to, ...filter } = query();
      const span = { from: auditTimeToMilliseconds(from), to: auditTimeToMilliseconds(to) };
      const entries = audit.auditEntryPage({ ...filter, ...span }, cursor ?? null, limit);
      const last = entries.length === limit ? entries.at(-1) : undefined;
      context.header('Cache-Control', 'no-store');
      return reply(200, {
        entries: entries.map(auditEntryView),
        nextCursor: last === undefined ? null : String(last.seq),
      });
    },
  ),
];

function auditTimeToMilliseconds(time: string | undefined): number | undefined {
  return time === undefined ? undefined : Date.parse(time);
}

function auditEntryView({
  seq,
  at,
  kind,
  key_id,
  key_name,
  method,
  route: path,
  target,
  status,
  code,
  request_id,
}: AuditEntry) {
  const who = { keyId: key_id, keyName: key_name };
  const what = { method, route: path, target, status, code };
  return { entryId: String(seq), at: toIsoTime(at), kind, ...who, ...what, requestId: request_id };
}
