/**
 * A process that the survival tests kill. `process.argv`: the data folder, the receiver's URL, and how far to go:
 * `accept` ends a job and delivers nothing; `answered` stops dead after the answer, before it is recorded; `run`
 * delivers until nothing is left. Each says so to its parent.
 */

import type { WebhookClient } from '../../src-server/features/webhooks/schema.ts';
import { createWebhookClient } from '../../src-server/platform/net/guarded-post.ts';
import { openStage } from './stage.ts';

const [, , folder, url = '', mode] = process.argv;
const client = createWebhookClient({});
const deadAfterAnswer: WebhookClient = {
  post: async (target, request) => {
    await client.post(target, request);
    process.send?.('answered');
    return new Promise(() => undefined);
  },
};

const stage = await openStage({ client: mode === 'answered' ? deadAfterAnswer : client }, folder);
if (mode === 'accept') {
  await stage.webhooks.closeWebhooks();
  stage.finish(stage.accept('owner', [{ url, events: [], secret: 'secret' }]));
  process.send?.('accepted');
} else if (mode === 'run') {
  await stage.webhooks.whenWebhooksSettled();
  process.send?.('settled');
}
