/** What choosing a model needs to know of it, also where its files are on another machine. */

import { z } from 'zod';

const SPEAKERS_MAX = 2000;

const Languages = z.array(z.string().max(100)).max(500);

export const ModelFacts = z.object({
  name: z.string().max(200),
  kind: z.string().max(50),
  /** Null for a model of a text server. */
  format: z.string().max(50).nullable(),
  sizeBytes: z.int().min(0),
  /** Languages that it knows; null when it knows many, or when unknown. */
  languages: Languages.nullable(),
  /** Languages for which it comes before others. */
  recommendedFor: Languages,
  /** Family of a recogniser. */
  speechFamily: z.enum(['whisper', 'transducer', 'sense-voice', 'moonshine']).nullable(),
  /** The speakers of a synthesiser. */
  voice: z
    .object({
      family: z.enum(['vits', 'kokoro', 'kitten', 'matcha']),
      speakers: z
        .array(
          z.object({
            id: z.int(),
            name: z.string().max(200),
            gender: z.enum(['female', 'male']).nullable(),
            language: z.string().max(100).nullable(),
          }),
        )
        .max(SPEAKERS_MAX),
      language: z.string().max(100).nullable(),
    })
    .nullable(),
});

export type ModelFacts = z.infer<typeof ModelFacts>;
