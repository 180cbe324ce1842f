import { defineFeature } from '../../feature.ts';
import { jobs } from '../jobs/feature.ts';
import { models } from '../models/feature.ts';
import { generateText } from './operation.ts';

/** Texts by local models, and by the owner's text server. */
export const text = defineFeature({
  name: 'text',
  uses: { jobs, models },
  operations: [generateText],
  openShared(server, { models: { needs } }) {
    const openTextEngine = async () => (await import('./service.ts')).textOf(server);
    needs.addElsewhere('text', async () =>
      (await (await openTextEngine()).list()).flatMap(({ name, from }) => (from === 'server' ? name : [])),
    );
    return { service: { engine: openTextEngine } };
  },
  open(_environment, { jobs: { services } }, { engine }) {
    services.provideService('text', async () => (await engine()).service);
    return { service: { engine } };
  },
});
