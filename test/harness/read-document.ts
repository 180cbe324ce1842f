import type { Job } from '../../src-server/features/jobs/schema.ts';
import type { Appliance } from './appliance.ts';
import { fileForm, finished } from './jobs.ts';

export interface ReadDocument {
  status: Job['status'];
  /** Code and message of a failed job. */
  error: { code: string; message: string } | null;
  text: string;
  markdown: string;
  warnings: string[];
  document: Record<string, unknown>;
  /** The whole result. */
  result: Record<string, unknown>;
}

interface DocumentResult extends Record<string, unknown> {
  files: { name: string; url: string }[];
  warnings: string[];
  document: Record<string, unknown>;
}

/** Sends a file to POST /v1/extract/doc and reads the files of its result. */
export async function readDocument(
  { owner }: Pick<Appliance, 'owner'>,
  content: Uint8Array | string,
  fileName: string,
  fields: Record<string, string> = {},
): Promise<ReadDocument> {
  const answer = await owner('/v1/extract/doc', { method: 'POST', body: fileForm(content, fileName, fields) });
  const accepted = (await answer.json()) as Job & { title?: string; detail?: string; code?: string };
  if (answer.status !== 202) {
    const error = { code: accepted.code ?? '', message: accepted.detail ?? '' };
    return { ...EMPTY, status: 'failed', error };
  }
  const job = await finished(owner, accepted.jobId);
  if (job.status === 'failed') return { ...EMPTY, status: job.status, error: job.error as ReadDocument['error'] };
  const result = job.result as unknown as DocumentResult;
  const read = async (name: string) => {
    const url = result.files.find((file) => file.name === name)?.url ?? '';
    return (await owner(new URL(url).pathname)).text();
  };
  const { warnings, document } = result;
  const [text, markdown] = await Promise.all([read('document.txt'), read('document.md')]);
  return { status: job.status, error: null, text, markdown, warnings, document, result };
}

const EMPTY = { text: '', markdown: '', warnings: [], document: {}, result: {} };
