import { z } from 'zod';
import { Chunk } from '../../chunk.ts';
import { extractionRequest, languageHint, segmentLength } from '../../source.ts';

/** Request and result that the document operations share: a PDF is one more document. */
export const DocumentExtraction = extractionRequest(
  z
    .strictObject({
      segmentLength: segmentLength(1000),
      language: languageHint().optional(),
      includeComments: z.boolean().default(false).describe('Keep tracked changes and comments; otherwise they go.'),
    })
    .prefault({}),
);

/** Pages of a PDF whose text was read from their picture. */
export const RecognitionFacts = z
  .object({
    pages: z.array(z.int().min(1)).describe('Pages, from 1, that were recognised.'),
    meanConfidence: z
      .number()
      .min(0)
      .max(100)
      .nullable()
      .describe('Over all recognised words; null if there were none.'),
    language: z
      .string()
      .describe('The language whose trained data read them, by its name in Tesseract, for example eng.'),
  })
  .meta({ id: 'RecognitionFacts' });

export const DocumentFacts = z
  .object({
    format: z.string().describe('What the bytes are: docx, doc, odt, rtf, html, markdown, text or pdf.'),
    title: z.string().nullable(),
    author: z.string().nullable(),
    pages: z.int().min(1).describe('Pages the source states; 1 where it has none.'),
    words: z.int().min(0),
    characters: z.int().min(0).describe('UTF-16 code units of document.txt.'),
    language: z.string().nullable(),
    revisions: z
      .enum(['accepted', 'marked', 'none'])
      .describe(
        'Which reading was chunked: changes accepted, changes and comments kept and marked, or there were none.',
      ),
    ocr: RecognitionFacts.optional().describe('Present where pages of a PDF had to be recognised.'),
  })
  .meta({ id: 'DocumentFacts' });

export const DocumentComment = z
  .object({
    author: z.string().nullable(),
    date: z.string().nullable(),
    text: z.string(),
    anchor: z.string().nullable().describe('The text the comment is attached to.'),
  })
  .meta({ id: 'DocumentComment' });

export const DocumentChange = z
  .object({
    kind: z.enum(['insertion', 'deletion', 'move-from', 'move-to']),
    author: z.string().nullable(),
    date: z.string().nullable(),
    text: z.string(),
  })
  .meta({ id: 'DocumentChange' });

/** A file of a job, under `GET /jobs/{jobId}/files/{name}`. */
export const JobFile = z.object({ name: z.string(), url: z.string() }).meta({ id: 'JobFile' });

export const DocumentResult = z.object({
  chunks: z.array(Chunk),
  document: DocumentFacts,
  comments: z.array(DocumentComment).optional().describe('With includeComments.'),
  changes: z.array(DocumentChange).optional().describe('With includeComments.'),
  files: z.array(JobFile),
  warnings: z.array(z.string()).describe('What could not be read, in sentences.'),
});
