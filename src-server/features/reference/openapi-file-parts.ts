import { z } from 'zod';
import type { AnswerDescription, ParameterDescription } from './route-description.ts';

/** What every route that sends a file takes and answers (file-response.ts). */

const header = (name: string, description: string, example: string): ParameterDescription => ({
  name,
  in: 'header',
  required: false,
  description,
  schema: z.string(),
  example,
});

export const FILE_PARAMETERS: readonly ParameterDescription[] = [
  header('Range', 'One byte range.', 'bytes=0-1023'),
  header('If-Range', 'The ETag of which a range is wanted: of another file the whole is sent.', '"5z-mwssrkvb"'),
  header('If-None-Match', 'The ETag that you have.', '"5z-mwssrkvb"'),
];

const HEADERS = ['ETag', 'Accept-Ranges'];
const bytes = { mediaType: '*/*', schema: null } as const;

export const FILE_ANSWERS: readonly AnswerDescription[] = [
  { status: 200, description: 'The whole file.', content: bytes, headers: [...HEADERS, 'Content-Disposition'] },
  {
    status: 206,
    description: 'The range asked for.',
    content: bytes,
    headers: [...HEADERS, 'Content-Disposition', 'Content-Range'],
  },
  { status: 304, description: 'The file has the ETag you have.', headers: HEADERS },
];
