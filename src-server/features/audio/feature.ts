import { defineFeature } from '../../feature.ts';
import type { Missing } from '../../platform/install-choice.ts';
import { jobs } from '../jobs/feature.ts';
import { models } from '../models/feature.ts';
import { generateAudio } from './operation.ts';
import { ADMIN_VOICE_ROUTES, VOICE_ROUTES } from './routes.ts';

/** Speech, sounds and music. The engine is loaded with its first use. */
export const audio = defineFeature({
  name: 'audio',
  uses: { jobs, models },
  operations: [generateAudio],
  openShared(server, { models: { needs } }) {
    const loadAudioEngine = async () => (await import('./service.ts')).audioOf(server);
    return {
      service: {
        engine: loadAudioEngine,
        missingVoice: async (text: string) => (await loadAudioEngine()).missingVoice(text),
        // A program that was installed by hand since the last look is found, though no event reports it.
        choicesFor: async (missing: Missing) => (await needs.lookAt(missing)).choices,
      },
    };
  },
  open({ baseUrl }, { jobs: { services } }, { engine }) {
    services.provideService('audio', engine);
    return {
      service: {
        engine,
        voices: async () => (await engine()).voices(),
        samplePath: async (slug: string) => (await engine()).samplePath(slug),
        baseUrl,
      },
    };
  },
  routes: { environment: VOICE_ROUTES, shared: ADMIN_VOICE_ROUTES },
});
