import { decodeText } from '../documents/decode-text.ts';
import { readPeerTube } from './peertube.ts';
import { readFeed } from './podcast-feed.ts';
import type { ReadVideoPageInput, VideoPage } from './tasks.ts';
import { readPage } from './video-page.ts';

/** Where a page or feed declares its encoding. */
const HEAD_BYTES = 2048;

/** What a page, feed or interface says about a video; null where it says nothing of one. */
export function readVideoPage(input: ReadVideoPageInput): VideoPage | null {
  if (input.kind === 'peertube') return readPeerTube(input);
  const head = Buffer.from(input.body.subarray(0, HEAD_BYTES)).toString('latin1');
  const declared = [/<(?:meta|\?xml)\b[^>]{0,500}?(?:charset|encoding)\s*=\s*["']?([\w-]+)/i.exec(head)?.[1] ?? null];
  const { text } = decodeText(input.body, { declared });
  const isFeed = /^\s*(?:<\?xml[^>]*>\s*)?(?:<!--[\s\S]*?-->\s*)*<rss[\s>]/.test(text);
  const page = isFeed ? readFeed(text, input.url) : readPage(text, input.url);
  return page.mediaUrls.length === 0 ? null : page;
}
