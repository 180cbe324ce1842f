import { generateAudio } from './features/audio/operation.ts';
import { crawl } from './features/crawl/operation.ts';
import { extractDoc, extractPdf } from './features/documents/operation.ts';
import { extractHostedVideo, extractVideo } from './features/media/operation.ts';
import { search } from './features/search/operation.ts';
import { generateText } from './features/text/operation.ts';
import { webhooks } from './features/webhooks/operation.ts';
import type { Operation } from './operation.ts';

/** Everything that can be asked, in the order in which people are shown it. One line per operation. */
export const OPERATIONS: readonly Operation[] = [
  crawl,
  extractHostedVideo,
  extractVideo,
  extractDoc,
  extractPdf,
  generateAudio,
  generateText,
  search,
  webhooks,
];

/** An incomplete registry does not start: ids are unique, and what a source is rerouted to exists. */
export function checkRegistry(operations: readonly Operation[]): void {
  const ids = new Set<string>();
  for (const { id } of operations) {
    if (ids.has(id)) throw new Error(`Two operations are called ${id}.`);
    ids.add(id);
  }
  for (const { id, source, mode, inline } of operations) {
    if ((mode === 'inline') !== (inline !== undefined)) throw new Error(`${id} must say how it answers inline.`);
    for (const target of Object.values(source?.reroutes ?? {})) {
      if (!ids.has(target)) throw new Error(`${id} sends sources to ${target}, which is no operation.`);
    }
  }
}
