import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { z } from 'zod';
import { CommandError, EXIT } from './connection.ts';
import type { JobDeps } from './job-commands.ts';
import { formatTextTable } from './print.ts';

/** `quarry library list|show|tag|export`: each returns the exit code. */
const Item = z.looseObject({
  itemId: z.string(),
  kind: z.string(),
  title: z.string(),
  state: z.string(),
  addedAt: z.string(),
  tags: z.array(z.string()),
  jobId: z.string(),
  version: z.number(),
  versions: z.number(),
  source: z.object({ name: z.string().nullable(), url: z.string().nullable() }),
});

const Page = z.object({ items: z.array(Item), total: z.number() });

const PAGE_MAX = 200;

export async function listItemsCommand(deps: JobDeps, filter: Record<string, string>, limit: number): Promise<number> {
  const { connection, terminal, json, signal } = deps;
  const items: z.infer<typeof Item>[] = [];
  let total = limit;
  while (items.length < Math.min(limit, total)) {
    const page = { limit: String(Math.min(PAGE_MAX, limit - items.length)), offset: String(items.length) };
    const answer = Page.parse(
      await connection.json(`/v1/library/items?${new URLSearchParams({ ...filter, ...page })}`, { signal }),
    );
    items.push(...answer.items);
    total = answer.items.length === 0 ? items.length : answer.total;
  }
  if (json) for (const item of items) terminal.results.write(`${JSON.stringify(item)}\n`);
  else {
    const rows = items.map(({ itemId, kind, addedAt, title, tags }) => [itemId, kind, addedAt, title, tags.join(', ')]);
    terminal.results.write(formatTextTable([['ITEM', 'KIND', 'ADDED', 'TITLE', 'TAGS'], ...rows]));
    if (items.length < total) terminal.messages.write(`Shown: ${items.length} of ${total}.\n`);
  }
  return EXIT.done;
}

export async function showItemCommand(deps: JobDeps, itemId: string): Promise<number> {
  const { connection, terminal, json, signal } = deps;
  const item = Item.parse(await connection.json(`/v1/library/items/${encodeURIComponent(itemId)}`, { signal }));
  if (json) {
    terminal.results.write(`${JSON.stringify(item)}\n`);
    return EXIT.done;
  }
  const rows: [string, string][] = [
    ['Item', item.itemId],
    ['Title', item.title],
    ['Kind', item.kind],
    ['State', item.state],
    ['Source', item.source.url ?? item.source.name ?? ''],
    ['Added', item.addedAt],
    ['Tags', item.tags.join(', ')],
    ['Version', `${item.version} of ${item.versions}`],
    ['Job', item.jobId],
  ];
  terminal.results.write(formatTextTable(rows));
  return EXIT.done;
}

/** Adds and removes tags of items. */
export async function tagItemsCommand(
  { connection, terminal, signal }: JobDeps,
  items: readonly string[],
  change: { addTags?: string[] | undefined; removeTags?: string[] | undefined },
): Promise<number> {
  if (change.addTags === undefined && change.removeTags === undefined) {
    throw new CommandError('Give tags with --add or --remove.', EXIT.usage);
  }
  const body = JSON.stringify({ items, ...change });
  const headers = { 'content-type': 'application/json' };
  await connection.json('/v1/library/changes', { method: 'POST', headers, body, signal });
  terminal.messages.write('Changed.\n');
  return EXIT.done;
}

/** Writes items to a file, or to standard output. */
export async function exportItemsCommand(
  { connection, terminal, signal }: JobDeps,
  items: readonly string[],
  { as, output, filter }: { as: string; output?: string | undefined; filter: Record<string, string> },
): Promise<number> {
  const hasFilter = Object.keys(filter).length > 0;
  if (hasFilter && items.length > 0)
    throw new CommandError('Give either identifiers of items, or filters.', EXIT.usage);
  const body = JSON.stringify(items.length > 0 ? { items, as } : { filter, as });
  const headers = { 'content-type': 'application/json' };
  const answer = await connection.send('/v1/library/export', { method: 'POST', headers, body, signal });
  if (!answer.ok || answer.body === null) {
    const { detail } = z.object({ detail: z.string() }).parse(await answer.json());
    throw new CommandError(detail, EXIT.failed);
  }
  if (output === undefined) for await (const piece of answer.body) terminal.results.write(piece);
  else await pipeline(answer.body, createWriteStream(output));
  const leftOut = Number(answer.headers.get('x-quarry-left-out') ?? 0);
  if (leftOut > 0) {
    terminal.messages.write(`${leftOut} without a result, named in the export.\n`);
  }
  return EXIT.done;
}
