/** Reads a video page without a downloader: media files, captions, chapters, author. */

import type { VideoPage } from '../../../workers/media/tasks.ts';
import { QuarryError } from '../../platform/errors.ts';
import { fileNameOfResponse } from '../../platform/files/file-names.ts';
import type { FetchPolicy } from '../../platform/net/fetch-policy.ts';
import type { GuardedClient, GuardedResponse } from '../../platform/net/guarded-client.ts';
import type { RunTask } from '../../platform/pool/worker-pool.ts';
import { say } from '../../platform/text/say.ts';
import { sanitizeOneLine } from '../../platform/text/strings.ts';
import { MIB, MINUTE_MS, SECOND_MS } from '../../platform/units.ts';
import { STREAM_ADDRESS } from './fetch-stream.ts';

const PAGE_BYTES_MAX = 8 * MIB;

const FETCH_LIMIT_MS = MINUTE_MS;

const PARSE_LIMIT_MS = 30 * SECOND_MS;

const REDIRECTS = 5;

/** Response types that describe a video. Any other type is the video itself. */
const DESCRIBES = /^(text\/|application\/(xhtml\+xml|xml|rss\+xml|json))/;

export interface FindParts {
  client: GuardedClient;
  runTask: RunTask;
  accountId: string;
  policy: FetchPolicy;
  signal: AbortSignal;
}

/** Null when the page names no file and no stream. Errors: `source_unreachable`, `source_forbidden`, `timeout`. */
export async function findVideo(parts: FindParts, url: string): Promise<VideoPage | null> {
  const { status, headers, body, finalUrl } = await fetchVideoPage(parts, url);
  if (status >= 400) throw videoPageRefusal(status, new URL(url).host);
  const type = String(headers['content-type'] ?? '').toLowerCase();
  if (STREAM_ADDRESS.test(finalUrl) || !DESCRIBES.test(type))
    return directVideoPage(finalUrl, headers['content-disposition']);
  const peerTube = await findPeerTube(parts, finalUrl);
  if (peerTube !== null) return peerTube;
  const page = await parseVideoPage(parts, { kind: 'page', url: finalUrl, body: new Uint8Array(body) });
  return page === null || page.mediaUrls.length > 0 ? page : findInPlayers(parts, page);
}

/** The video of a player that a page shows, with what the page says of it. Null where no player names a file. */
async function findInPlayers(parts: FindParts, page: VideoPage): Promise<VideoPage | null> {
  for (const url of page.embedUrls) {
    const player = await readPlayer(parts, url);
    if (player === null || player.mediaUrls.length === 0) continue;
    return {
      ...player,
      title: page.title ?? player.title,
      channel: page.channel ?? player.channel,
      publishedAt: page.publishedAt ?? player.publishedAt,
      durationSeconds: page.durationSeconds ?? player.durationSeconds,
      thumbnailUrl: page.thumbnailUrl ?? player.thumbnailUrl,
      language: page.language ?? player.language,
      chapters: page.chapters.length > 0 ? page.chapters : player.chapters,
    };
  }
  return null;
}

/** Players in players are not followed. Null for one that cannot be fetched: another may be the one. */
async function readPlayer(parts: FindParts, url: string): Promise<VideoPage | null> {
  try {
    const { status, headers, body, finalUrl } = await fetchVideoPage(parts, url);
    if (status !== 200) return null;
    const type = String(headers['content-type'] ?? '').toLowerCase();
    if (!DESCRIBES.test(type)) return directVideoPage(finalUrl, headers['content-disposition']);
    return await parseVideoPage(parts, { kind: 'page', url: finalUrl, body: new Uint8Array(body) });
  } catch (error) {
    parts.signal.throwIfAborted();
    if (!(error instanceof QuarryError)) throw error;
    return null;
  }
}

function directVideoPage(url: string, disposition: string | undefined): VideoPage {
  return {
    title: sanitizeOneLine(fileNameOfResponse(disposition, new URL(url))?.replace(/\.[^.]{1,5}$/, '')),
    channel: null,
    publishedAt: null,
    durationSeconds: null,
    thumbnailUrl: null,
    language: null,
    mediaUrls: [url],
    captions: [],
    chapters: [],
    chapterTracks: [],
    chapterFiles: [],
    embedUrls: [],
    people: [],
  };
}

/** PeerTube's watch pages are `/w/ID` and `/videos/watch/ID`, on any host and port. */
async function findPeerTube(parts: FindParts, url: string): Promise<VideoPage | null> {
  const { origin, pathname } = new URL(url);
  const id = /^\/(?:w|videos\/watch)\/([\w-]{8,64})$/.exec(pathname)?.[1];
  if (id === undefined) return null;
  const askPeerTube = async (path: string) => {
    const { status, body } = await fetchVideoPage(parts, `${origin}/api/v1/videos/${id}${path}`);
    return status === 200 ? new Uint8Array(body) : null;
  };
  const video = await askPeerTube('');
  if (video === null) return null;
  const [captions, chapters] = await Promise.all([askPeerTube('/captions'), askPeerTube('/chapters')]);
  return parseVideoPage(parts, { kind: 'peertube', url: origin, video, captions, chapters });
}

function parseVideoPage(
  { runTask, accountId, signal }: FindParts,
  input: Parameters<typeof runTask<'read-video-page'>>[1],
) {
  return runTask('read-video-page', input, { accountId, signal, timeLimitMs: PARSE_LIMIT_MS });
}

function fetchVideoPage({ client, policy, signal }: FindParts, url: string): Promise<GuardedResponse> {
  return client.request(url, {
    policy,
    signal,
    totalTimeoutMs: FETCH_LIMIT_MS,
    maxResponseBytes: PAGE_BYTES_MAX,
    followRedirects: REDIRECTS,
    wantsBody: ({ headers }) => DESCRIBES.test(String(headers['content-type'] ?? '').toLowerCase()),
  });
}

function videoPageRefusal(status: number, host: string): QuarryError {
  if (status === 401 || status === 403) return privateVideo();
  if (status === 451) return withheldVideo(host);
  if (status === 404 || status === 410) return removedVideo();
  const message = say`The host ${host} answered with status ${status}; try again later.`;
  return new QuarryError('source_unreachable', message, { retryable: status >= 500 || status === 429 });
}

export function privateVideo(cause?: unknown): QuarryError {
  const message = say`The video is private or needs a sign-in. Only public and unlisted videos work: export it and
    send the file
      to /extract/video.`;
  return new QuarryError('source_forbidden', message, { cause });
}

function withheldVideo(host: string): QuarryError {
  const message = say`The host ${host} withholds the video for legal reasons, often in some countries alone (status
    451). Send the
      file to /extract/video.`;
  return new QuarryError('source_forbidden', message);
}

export function removedVideo(cause?: unknown): QuarryError {
  return new QuarryError('source_unreachable', say`The video is no longer there. Check the address.`, { cause });
}
