/** Pictures that are sent to be read, and what is compared with the truth. */
import { expect } from 'vitest';
import type { z } from 'zod';
import type { DocumentResult } from '../../src-server/features/documents/schema.ts';
import type { Job } from '../../src-server/features/jobs/schema.ts';
import type { Appliance } from './appliance.ts';
import { fileForm } from './jobs.ts';

type Result = z.output<typeof DocumentResult>;

/** Reads pictures at an appliance, which must complete. */
export function picturesAt(appliance: () => Appliance) {
  async function completeJob(file: Buffer, name: string): Promise<Job> {
    const init = { method: 'POST', body: fileForm(file, name), headers: { prefer: 'wait=60' } };
    const job = (await (await appliance().owner('/v1/extract/doc', init)).json()) as Job;
    expect(job).toMatchObject({ status: 'completed' });
    return job;
  }
  const read = async (file: Buffer, name: string) => (await completeJob(file, name)).result as Result;
  return { completeJob, read };
}

export const textOf = ({ chunks }: { chunks: { text: string }[] }) => chunks.map((chunk) => chunk.text).join('\n');

export const wordsOf = (said: string): string[] => said.toLowerCase().match(/[a-z0-9]+/g) ?? [];

/** Share of the words of a text that another has. */
export function recall(truth: string, found: string): number {
  const left = wordsOf(found);
  const words = wordsOf(truth);
  const met = words.filter((word) => {
    const at = left.indexOf(word);
    if (at >= 0) left.splice(at, 1);
    return at >= 0;
  });
  return met.length / words.length;
}

/** A paragraph to draw. */
export const LINES = [
  'The lighthouse keeper wrote down every ship that passed,',
  'its name, its flag and the hour of the day. On stormy',
  'nights he wrote little, because the lamp needed him more',
  'than the book did. After forty years the shelves of the',
  'tower held ninety volumes, and nobody had ever read one.',
  'A clerk of the harbour board found them in the spring of',
  '1931 and asked for the keys of the upper room at once.',
];
