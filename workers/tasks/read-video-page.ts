import type { ReadVideoPageInput, VideoPage } from '../media/media-tasks.ts';
import { readPeerTube } from '../media/peertube.ts';
import { readFeed } from '../media/podcast-feed.ts';
import { readPage } from '../media/video-page.ts';

/** What a page, feed or interface says about a video; null where it says nothing of one. */
export function readVideoPage(input: ReadVideoPageInput): VideoPage | null {
  if (input.kind === 'peertube') return readPeerTube(input);
  const text = new TextDecoder('utf-8').decode(input.body);
  const isFeed = /^\s*(?:<\?xml[^>]*>\s*)?(?:<!--[\s\S]*?-->\s*)*<rss[\s>]/.test(text);
  const page = isFeed ? readFeed(text, input.url) : readPage(text, input.url);
  return page.mediaUrls.length === 0 ? null : page;
}
