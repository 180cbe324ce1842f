import { apiPath, requestJson } from '../../api/client.ts';
import type { EnvironmentName } from '../../api/names.ts';
import type { Place } from './sources.ts';

/** Puts the item of a job into a collection and tags it. It is there from the acceptance of the job on. */
export async function putItem(environment: EnvironmentName, jobId: string, { tags, collection }: Place): Promise<void> {
  const found = await requestJson<{ items: { itemId: string }[] }>(
    apiPath(environment, '/library/lookup', { job: jobId }),
  );
  const body = { addTags: tags, addTo: collection === null ? [] : [collection] };
  for (const { itemId } of found.items) {
    await requestJson(apiPath(environment, `/library/items/${itemId}`), { method: 'PATCH', body });
  }
}
