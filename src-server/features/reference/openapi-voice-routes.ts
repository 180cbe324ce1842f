import { z } from 'zod';
import { Voice } from '../audio/schema.ts';
import { ORIGIN } from './openapi-examples.ts';
import { FILE_ANSWERS, FILE_PARAMETERS } from './openapi-file-parts.ts';
import type { RouteDescription } from './route-description.ts';

const EXAMPLE: z.input<typeof Voice> = {
  slug: 'clara',
  name: 'Clara',
  language: 'en-US',
  description: 'A clear, friendly woman’s voice.',
  tones: ['friendly', 'warm'],
  sampleUrl: `${ORIGIN}/v1/voices/samples/clara.wav`,
};

export const VOICE_ROUTES: readonly RouteDescription[] = [
  {
    method: 'get',
    path: '/voices',
    scope: 'environment',
    operationId: 'listVoices',
    tag: 'Voices',
    summary: 'List the voices',
    description: 'What `voice` can be in `POST /generate/audio`, each with a sample that can be played.',
    auth: 'none',
    answers: [
      {
        status: 200,
        description: 'All of them.',
        content: { mediaType: 'application/json', schema: z.array(Voice), example: [EXAMPLE] },
      },
    ],
    errors: [],
  },
  {
    method: 'get',
    path: '/voices/samples/{sample}',
    scope: 'environment',
    operationId: 'getVoiceSample',
    tag: 'Voices',
    summary: 'Hear a voice',
    description: 'A few seconds as .wav.',
    auth: 'none',
    parameters: [
      {
        name: 'sample',
        in: 'path',
        required: true,
        description: 'The voice’s slug and `.wav`.',
        schema: z.string(),
        example: 'clara.wav',
      },
      ...FILE_PARAMETERS,
    ],
    answers: FILE_ANSWERS,
    errors: ['not_found', 'range_not_satisfiable'],
  },
];
