import { defineFeature } from '../../feature.ts';
import { VERSION } from '../../platform/version.ts';
import { audio } from '../audio/feature.ts';
import { fleet } from '../fleet/feature.ts';
import { jobs } from '../jobs/feature.ts';
import { limits } from '../limits/feature.ts';
import { models } from '../models/feature.ts';
import { search } from '../search/feature.ts';
import { text } from '../text/feature.ts';
import { openaiErrorResponse } from './errors.ts';
import { OLLAMA_ADDRESSES, ollamaErrorResponse, ollamaRoutes } from './ollama.ts';
import { OPENAI_ADDRESSES, openaiRoutes } from './routes.ts';

/** The interfaces of OpenAI and Ollama, for the owner and named keys. */
export const openai = defineFeature({
  name: 'openai',
  uses: { audio, fleet, jobs, limits, models, search, text },
  open({ context }, { audio, fleet: { fleet }, jobs, limits: { ownerOnly }, models: { models }, search, text }) {
    /** Those of this machine, and of nodes that are there. */
    const textModels = async () => {
      const here = (await (await text.engine()).list()).map(({ name }) => name);
      return [...new Set([...here, ...fleet.modelNames('text')])].map((name) => ({ name }));
    };
    return {
      service: {
        service: jobs.service,
        ownerOnly,
        version: VERSION,
        textModels,
        speaker: audio.engine,
        soundEncoder: async () => (await import('../media/service.ts')).soundEncoderOf(context),
        loadedModels: async () => (await text.engine()).loaded(),
        reader: async (name: string) => (await text.engine()).service.reader(name),
        installed: (kind: 'text' | 'embedding') => models.installed(kind),
        embeddings: search.embeddings,
      },
    };
  },
  addresses: [...OPENAI_ADDRESSES, ...OLLAMA_ADDRESSES],
  errorForms: { openai: openaiErrorResponse, ollama: ollamaErrorResponse },
  mount: ({ environments: { production } }) => [
    { path: '/openai/v1', routes: openaiRoutes(production) },
    { path: '/ollama', routes: ollamaRoutes(production) },
  ],
});
