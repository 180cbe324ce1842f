import type { Operation } from '../../operation.ts';
import type { Job } from '../jobs/schema.ts';

/**
 * What the examples of the document share. Each operation brings its own request and result, so an example is true to
 * its operation; identifiers and addresses are derived here, so they agree with one another.
 */

/** The origin of the server that shows an example, filled in by `placed`. */
export const ORIGIN = '{origin}';

const ID = '3v1cQm0pXbJ2nT8yLk5sWd7RfGh';

export const EXAMPLE_WEBHOOK_URL = 'https://app.example/hooks/quarry';

/** Puts the origin into the addresses of a part of the document. */
export function placed<Part>(part: Part, origin: string): Part {
  return JSON.parse(JSON.stringify(part).replaceAll(ORIGIN, origin)) as Part;
}

function exampleJobId({ idPrefix }: Pick<Operation, 'idPrefix'>): string {
  return `${idPrefix}_${ID}`;
}

function statusUrlOf(jobId: string): string {
  return `${ORIGIN}/v1/jobs/${jobId}`;
}

/** The 202 of an operation, as the router makes it of the operation's example. */
export function exampleAcceptance(operation: Operation): Record<string, unknown> {
  const { id, example, firstRun } = operation;
  const jobId = exampleJobId(operation);
  const statusUrl = statusUrlOf(jobId);
  const request = operation.request.parse(example.request);
  return {
    ...operation.acceptedFields?.(request as never, jobId),
    ...example.prepared?.((name) => `${statusUrl}/files/${name}`),
    ...{ jobId, jobType: id, status: 'queued', statusUrl, etaSeconds: firstRun.seconds },
  };
}

/** The 200 of an inline operation, as a JSON body and as a stream. */
export function exampleAnswer(operation: Operation): { json: Record<string, unknown>; stream: string } {
  const { id, example, inline } = operation;
  if (inline === undefined || example.result === undefined) throw new Error(`${id} has no example of its result.`);
  const jobId = exampleJobId(operation);
  const json = inline.body(example.result, jobId);
  const events = [
    ['accepted', { jobId, statusUrl: statusUrlOf(jobId) }],
    ...(example.emitted ?? []),
    ['done', json],
  ] as const;
  return { json, stream: events.map(([event, data]) => eventText(event, data)).join('') };
}

function eventText(event: string, data: unknown, id?: number): string {
  return `event: ${event}\n${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(data)}\n\n`;
}

const JOB_ID = exampleJobId({ idPrefix: 'job' });

const TEXTS = [
  'The year began quietly, and sales were flat until March.',
  'Sales rose in the second quarter and stayed there.',
] as const;

const TEXT = TEXTS.join('\n\n');

/** A finished job, as every example shows it. */
export const EXAMPLE_JOB: Job = {
  jobId: JOB_ID,
  jobType: 'extract/doc',
  status: 'completed',
  createdAt: '2026-03-02T09:30:00.000Z',
  updatedAt: '2026-03-02T09:30:00.412Z',
  statusUrl: statusUrlOf(JOB_ID),
  result: {
    chunks: [
      {
        ...{ id: 'chk_cbecfc0e7834fa06c9d7040951bd1cfb', text: TEXT, page: 1, segmentIndex: 0, kind: 'text' },
        ...{ startOffset: 0, endOffset: TEXT.length },
      },
    ],
    document: {
      ...{ format: 'docx', title: 'Annual report', author: null, pages: 1, words: 19, characters: TEXT.length },
      ...{ language: 'en', revisions: 'none' },
    },
    files: ['document.md', 'document.txt', 'chunks.jsonl'].map((name) => {
      return { name, url: `${statusUrlOf(JOB_ID)}/files/${name}` };
    }),
    warnings: [],
  },
  events: ['job.completed'],
  progress: { percent: 100, stage: 'completed', message: 'Done.' },
  expiresAt: '2026-03-05T09:30:00.412Z',
  sourceName: 'Annual report',
};

/** The stream of that job. */
export const EXAMPLE_JOB_EVENTS = eventText('job', EXAMPLE_JOB, 3);

/** Its chunks, when they are cut at 50 characters. */
export const EXAMPLE_CHUNKS = TEXTS.map((text, segmentIndex) => {
  const startOffset = TEXT.indexOf(text);
  const id = ['chk_550bfffc5ccf3bfeaa92ca9ab7574358', 'chk_7b4226f88f7e5f624eec5fb467c68794'][segmentIndex] ?? '';
  return { id, text, page: 1, segmentIndex, kind: 'text' as const, startOffset, endOffset: startOffset + text.length };
});
