import { defineFeature } from '../../feature.ts';
import { jobs } from '../jobs/feature.ts';

/** Fields and digests that a text model takes from what was read. */
export const fields = defineFeature({
  name: 'fields',
  uses: { jobs },
  open({ context }, { jobs: { services } }) {
    services.provideService('fields', async () => (await import('./service.ts')).fieldsOf(context));
    return { service: {} };
  },
});
