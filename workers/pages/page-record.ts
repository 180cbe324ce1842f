import type { Block } from '../documents/blocks.ts';

export interface PageLink {
  url: string;
  text: string;
  nofollow: boolean;
}

export interface PageAsset {
  kind: 'asset' | 'script' | 'pixel';
  url: string;
}

/** Text that people do not see as machines do: hidden elements, comments, long attributes, invisible characters. */
export interface HiddenText {
  /** By which means, for people. */
  how: string;
  where: 'text' | 'hidden-text' | 'attribute' | 'comment';
  text: string;
}

/** A page as read: one line of a batch file in the job's work folder, and all that the outputs are made of. */
export interface PageRecord {
  /** Number in the ledger. */
  id: number;
  url: string;
  title: string | null;
  description: string | null;
  language: string | null;
  canonicalUrl: string | null;
  /** Where a reader is sent at once. */
  movedTo: string | null;
  robots: string[];
  aiUse: string[];
  licence: string | null;
  links: PageLink[];
  assets: PageAsset[];
  hidden: HiddenText[];
  contentHash: string;
  blocks: Block[];
}
