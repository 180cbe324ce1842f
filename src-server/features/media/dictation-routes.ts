import { z } from 'zod';
import type { EnvironmentName } from '../../operation.ts';
import { QuarryError } from '../../platform/errors.ts';
import { readFileBody } from '../../platform/http/body.ts';
import { jsonAnswer, routesOf } from '../../platform/http/route.ts';
import { say } from '../../platform/text/say.ts';
import { MIB } from '../../platform/units.ts';
import type { JobService } from '../jobs/service.ts';
import type { HearPiece } from './hear-piece.ts';

/** Half an hour of speech as browsers record it. */
const PIECE_BYTES_MAX = 16 * MIB;

const HeardWords = z
  .object({
    text: z.string().describe('Empty where nobody speaks.'),
    language: z.string().nullable().describe('As the model hears it.'),
  })
  .meta({ id: 'HeardWords' });

const PieceQuery = z.object({
  language: z.string().max(35).optional().describe('BCP 47 or ISO 639 code of what is spoken.'),
});

const route = routesOf<Record<EnvironmentName, { service: JobService; hearPiece: HearPiece }>>();

/** Mounted under `/admin`, behind the owner check. */
export const ADMIN_DICTATION_ROUTES = [
  route(
    {
      scope: 'owner',
      tag: 'Media',
      auth: 'owner',
      method: 'post',
      path: '/dictation',
      forDevices: true,
      operationId: 'hearPiece',
      summary: 'The words of a short recording, at once',
      description: `The body is the sound itself, 16 MB at most. For dictation, and for the words of a recording that
goes on. No job is made and nothing is kept; two pieces are heard at a time.`,
      query: PieceQuery,
      answers: { 200: jsonAnswer('The words.', HeardWords, { text: 'The tide turns at noon.', language: 'en' }) },
      errors: [
        ...(['invalid_request', 'body_too_large', 'unsupported_content_type', 'storage_full'] as const),
        ...(['unsupported_media', 'corrupt_input', 'model_not_installed', 'engine_unavailable'] as const),
        ...(['engine_failed', 'out_of_memory', 'timeout', 'rate_limited', 'cancelled'] as const),
      ],
    },
    async ({ production: { service, hearPiece } }, { context, query, reply }) => {
      const bounds = { maxFileBytes: PIECE_BYTES_MAX, fileName: null };
      const upload = await readFileBody(context.env.incoming, bounds, service.body);
      try {
        if (upload.kind !== 'audio' && upload.kind !== 'video') {
          throw new QuarryError('unsupported_media', say`Send a recording.`);
        }
        return reply(200, await hearPiece(upload, query().language, context.req.raw.signal));
      } finally {
        await service.body.uploads.discard(upload);
      }
    },
  ),
];
