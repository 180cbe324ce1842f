import { z } from 'zod';
import { defineOperation } from '../../operation.ts';
import { Webhook, WebhookRequest } from './schema.ts';

export const webhooks = defineOperation({
  id: 'webhooks',
  forDevices: false,
  summary: 'Register a webhook for all jobs of the account',
  description: `Every job of the account calls \`url\` when it ends: with \`job.completed\`, \`job.failed\`
or, without \`events\`, both. The webhook becomes active when this job completes; its \`result\` holds it. Payloads are
signed when a \`secret\` is given. The same URL and secret again adds its events to the webhook there is.`,
  words: {
    group: 'other',
    icon: 'webhook',
    name: 'Add a webhook',
    noun: 'Webhook',
    plural: 'Webhooks',
    doing: 'Running',
  },
  mode: 'job',
  order: 2,
  price: { amount: 10_000, timeoutSeconds: 300 },
  idPrefix: 'job',
  queueClass: 'light',
  request: WebhookRequest,
  result: z.object({ webhook: Webhook }),
  example: {
    request: { url: 'https://app.example/hooks/quarry', events: ['job.completed', 'job.failed'] },
  },
  receivesJobs: true,
  uses: ['webhooks'],
  retry: { attempts: 3, baseDelaySeconds: 1 },
  timeLimitSeconds: 30,
  firstRun: { seconds: 1, secondsPerMegabyte: 0 },
  run: async (request, ports) => ({ webhook: (await ports.use('webhooks')).createForJob(ports, request) }),
});
