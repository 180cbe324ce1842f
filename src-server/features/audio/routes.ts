import { Hono } from 'hono';
import { QuarryError } from '../../platform/errors.ts';
import type { HttpEnv } from '../../platform/http/env.ts';
import { sendFile } from '../../platform/http/file-response.ts';
import type { Voice } from './schema.ts';

type VoiceFacts = Omit<Voice, 'sampleUrl' | 'tones'> & { tones: readonly string[] };

export interface VoiceRouteDeps {
  voices(): Promise<readonly VoiceFacts[]>;
  /** Path of a voice sample. Errors: `not_found`. */
  samplePath(slug: string): Promise<string>;
  /** Absolute; ends with the version prefix. */
  baseUrl(): string;
}

const SAMPLE_NAME = /^([a-z][a-z0-9-]{0,39})\.wav$/;

/** Lists the voices for `POST /generate/audio`, each with a sample. Free, and open to all callers. */
export function voiceRoutes({ voices, samplePath, baseUrl }: VoiceRouteDeps): Hono<HttpEnv> {
  const routes = new Hono<HttpEnv>();

  routes.get('/voices', async (context) =>
    context.json(
      (await voices()).map(
        ({ slug, name, language, description, tones }): Voice => ({
          slug,
          name,
          language,
          description,
          tones: [...tones],
          sampleUrl: `${baseUrl()}/voices/samples/${slug}.wav`,
        }),
      ),
    ),
  );

  routes.on(['GET', 'HEAD'], '/voices/samples/:name', async (context) => {
    const slug = SAMPLE_NAME.exec(context.req.param('name'))?.[1];
    if (slug === undefined) throw new QuarryError('not_found', 'There is no such voice. GET /voices lists them.');
    context.header('Cross-Origin-Resource-Policy', 'cross-origin');
    return sendFile(context, await samplePath(slug), `${slug}.wav`);
  });

  return routes;
}
