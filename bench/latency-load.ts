/**
 * The load of `latency.bench.ts`, in a process of its own: documents of 2.5 million characters, one client for each
 * core, each answer parsed. In the process that measures, parsing megabytes would hold up the samples themselves.
 */
import { availableParallelism } from 'node:os';
import { wordDocument } from '../test/harness/documents.ts';
import { fileForm } from '../test/harness/jobs.ts';

const PARAGRAPHS = 9000;
const [url = '', ownerToken = ''] = process.argv.slice(2);
const text = (n: number) => `Paragraph ${n} of a long report that somebody wrote over many months. `.repeat(4);
const large = wordDocument(Array.from({ length: PARAGRAPHS }, (_, n) => text(n)));
const headers = { authorization: `Bearer ${ownerToken}`, prefer: 'wait=60' };

let over = false;
let parsed = 0;
process.once('message', () => {
  over = true;
});

async function client(): Promise<void> {
  while (!over) {
    const answer = await fetch(`${url}/v1/extract/doc`, { method: 'POST', body: fileForm(large, 'a.docx'), headers });
    if (answer.status !== 202) throw new Error(`${answer.status} ${await answer.text()}`);
    const { status } = (await answer.json()) as { status: string };
    if (status === 'completed') parsed += 1;
  }
}

process.send?.('begun');
await Promise.all(Array.from({ length: availableParallelism() }, client));
process.send?.(parsed);
process.disconnect();
