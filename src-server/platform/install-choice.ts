/** What work can need beyond the product itself, and what the owner can install for it. */

import { z } from 'zod';

export const NEEDS = [
  'speech',
  'speakers',
  'text',
  'voice',
  'soundfont',
  'embedding',
  'ocr-language',
  'ffmpeg',
  'yt-dlp',
  'whisper-cli',
  'browser',
] as const;

export type Need = (typeof NEEDS)[number];

/** What an error says is missing on this machine. */
export interface Missing {
  need: Need;
  /** ISO code of the language that the work needs; null when any will do. */
  language: string | null;
  /** The model that the request names. Only that one helps. */
  name?: string;
}

export const InstallChoice = z
  .object({
    name: z.string().describe('Name of the model or program.'),
    kind: z.enum(['model', 'tool']),
    title: z.string(),
    sizeBytes: z.int().min(0).describe('Size of the download.'),
    licence: z.string().describe('SPDX identifier.'),
    source: z.string().describe('Host of the publisher.'),
    recommended: z.boolean().describe('The one to install when nothing speaks for another. Comes first.'),
    fits: z.boolean().describe('Whether memory and disk of this machine suffice.'),
    note: z.string().describe('One sentence for the choice.'),
  })
  .meta({ id: 'InstallChoice' });

export type InstallChoice = z.infer<typeof InstallChoice>;

/** Further choices are on the Models page. */
export const CHOICES_MAX = 4;
