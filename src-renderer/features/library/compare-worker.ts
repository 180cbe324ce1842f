/** Compares two texts away from the page. */
import { textChanges } from './text-changes.ts';

self.addEventListener('message', ({ data }: MessageEvent<{ before: string; after: string }>) => {
  self.postMessage(textChanges(data.before, data.after));
});
