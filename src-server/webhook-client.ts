import type { GuardedClient } from './sources/guarded-client.ts';
import type { WebhookClient } from './webhooks/ports.ts';

/** Deliveries go through the guarded client, which follows no redirect here: one is an answer like any other. */
export function webhookClient(client: GuardedClient): WebhookClient {
  return {
    post: async (url, { headers, body, policy, timeoutMs, maxResponseBytes, signal }) => {
      const answer = await client.request(url, {
        method: 'POST',
        headers,
        body: Buffer.from(body),
        policy,
        totalTimeoutMs: timeoutMs,
        maxResponseBytes,
        signal,
      });
      return {
        status: answer.status,
        headers: givenHeaders(answer.headers),
        body: answer.body,
        truncated: answer.truncated,
      };
    },
  };
}

function givenHeaders(headers: NodeJS.Dict<string | string[]>): Record<string, string | string[]> {
  return Object.fromEntries(Object.entries(headers).flatMap(([name, value]) => (value ? [[name, value]] : [])));
}
