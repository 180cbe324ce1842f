import { z } from 'zod';

/** A chunk of text with a place (interface: `result.chunks`; decisions 2). */
export const Chunk = z
  .object({
    id: z.string().describe('Stable for the same input and options.'),
    text: z.string(),
    page: z.int().min(1).describe('Page the chunk begins on; 1 where a source has no pages.'),
    segmentIndex: z.int().min(0).describe('Running number of the chunk.'),
    kind: z.enum(['text', 'table', 'caption', 'comment', 'frame-text']).optional(),
    heading: z.string().optional().describe('Path of the headings above the chunk, joined with " > ".'),
    startOffset: z.int().min(0).optional().describe('First character in document.txt, in UTF-16 code units.'),
    endOffset: z.int().min(0).optional().describe('One past the last character in document.txt.'),
    startSeconds: z.number().min(0).optional(),
    endSeconds: z.number().min(0).optional(),
    url: z.string().optional().describe('Page the chunk is from (crawl).'),
    originalText: z.string().optional().describe('What the text was before an approved correction.'),
  })
  .meta({ id: 'Chunk' });
export type Chunk = z.infer<typeof Chunk>;
