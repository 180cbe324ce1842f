import { makeRequest } from './parcel.ts';
import type { WebhookClient, WebhookSender } from './ports.ts';

/** The sender on the thread of its caller; `ThreadSender` is the one with a thread of its own. */
export function createSender(client: WebhookClient): WebhookSender {
  return {
    async send({ url, content, ...bounds }) {
      const { headers, ...made } = makeRequest(url, content);
      try {
        const response = await client.post(url, { headers, body: made.body, ...bounds });
        return { ...made, answer: { response } };
      } catch (error) {
        if (bounds.signal.aborted) throw error;
        return { ...made, answer: { error } };
      }
    },
  };
}
