import type { WebhookRequest } from '../../src-server/features/webhooks/schema.ts';
import type { Stage } from './stage.ts';

/** What tests do on a stage again and again. */
export function actsOn(stage: () => Stage) {
  async function deliveries() {
    await stage().webhooks.whenWebhooksSettled();
    return (await stage().webhooks.log.pageOfDeliveries({}, null, 200)).deliveries;
  }

  return {
    deliveries,

    async theDelivery() {
      const all = await deliveries();
      if (all.length !== 1 || all[0] === undefined) throw new Error(`There are ${all.length} deliveries, not one.`);
      return all[0];
    },

    /** Moves the clock to a moment and lets everything happen that is due by then. */
    async at(time: number): Promise<void> {
      const { clock, webhooks } = stage();
      clock.advance(time - clock.now());
      await webhooks.whenWebhooksSettled();
    },

    accountWebhook(accountId: string, request: WebhookRequest) {
      const job = stage().accept(accountId);
      const webhook = stage().webhooks.createForJob({ id: job.id, accountId }, request);
      return webhook.webhookId;
    },
  };
}
