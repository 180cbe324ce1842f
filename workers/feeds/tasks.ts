export interface ReadFeedInput {
  body: Uint8Array;
  /** Address of the feed after redirects, for relative addresses. */
  url: string;
  /** From the header of the answer. */
  charset: string | null;
}

export interface ReadFeedOutput {
  /** The feed that a page names, if the body is a page; then there are no entries. */
  feedUrl: string | null;
  title: string | null;
  /** Newest first. */
  entries: FeedItem[];
}

export interface FeedItem {
  /** The identifier that the feed gives, else the address. */
  guid: string;
  title: string | null;
  link: string | null;
  /** The first attachment that is no picture. */
  enclosure: string | null;
  /** In milliseconds. */
  publishedAt: number | null;
}

declare module '../../src-server/platform/pool/worker-pool.ts' {
  interface TaskMap {
    'read-feed': { input: ReadFeedInput; output: ReadFeedOutput };
  }
}
