import { BASE_PATHS } from '../../context.ts';
import { defineFeature } from '../../feature.ts';
import { ENVIRONMENTS, type Operation } from '../../operation.ts';
import { refuseWhenStopping } from '../../platform/http/app.ts';
import { accounts } from '../accounts/feature.ts';
import { jobs } from '../jobs/feature.ts';
import { guardFacilitator, payments } from '../payments/feature.ts';
import { openForPayer, payerWindow } from './payer-window.ts';
import { countingRefusals, limitByAddress, limitCaller, ownerOnly, rateLimit } from './rate-limit.ts';
import { ADMIN_LIMIT_EVENT_ROUTES, ADMIN_LIMIT_ROUTES } from './routes.ts';
import { Limits } from './service.ts';
import { answerUnpaid } from './unpaid.ts';

/** Where the facilitator of each environment is mounted. */
const FACILITATOR_BASES = { production: '', staging: '/staging' } as const;

/** Plans of accounts. Identity and limits are checked before a body is read: floods stop here. */
export const limits = defineFeature({
  name: 'limits',
  uses: { accounts, jobs, payments },
  open({ name, storage, clock, log, operations }, { accounts, jobs, payments: { payments } }) {
    const inlineOperationIds = operations.filter(({ mode }) => mode === 'inline').map(({ id }) => id);
    const limits = new Limits({ storage, clock, log, inlineOperationIds });
    jobs.ports.concurrencyOf = (accountId) => limits.concurrencyOf(accountId);
    jobs.ports.acquireInline = (accountId) => limits.acquireInline(accountId);
    // Jobs that waited for a plan start without another request.
    const stopWatching = limits.plansChanged.addListener(() => jobs.jobs.startReadyJobs());
    accounts.counters.set(name, limitByAddress(limits));
    const { identify } = accounts.identity;
    return {
      service: {
        limits,
        payments,
        jobs: jobs.jobs,
        /** Identifies the caller; a wrong credential counts against its sender. */
        identify: countingRefusals(identify, limits),
        rateLimit: rateLimit(limits),
        ownerOnly: ownerOnly(identify, limits),
        gate: jobs.gate,
        operations,
        /** Features that are opened later add to it. */
        paid: jobs.paid,
        openPayment: (operation: Operation, from: Parameters<typeof openForPayer>[3]) =>
          openForPayer(jobs.gate, limits, operation, from),
      },
      close: () => {
        stopWatching();
        return limits.accounts.closeAccounts();
      },
    };
  },
  routes: { owner: [...ADMIN_LIMIT_ROUTES, ...ADMIN_LIMIT_EVENT_ROUTES] },
  quickAnswer: ({ server, environments }) => answerUnpaid(server, environments),
  guard: (app, { server, environments, door }) => {
    const open = refuseWhenStopping(server.isStopping);
    if (door !== null) app.use(countingRefusals(door.identify, environments.production.limits), open);
    for (const name of ENVIRONMENTS) {
      const { identify, limits, gate, paid, rateLimit } = environments[name];
      const base = BASE_PATHS[name];
      if (door === null) app.use(`${base}/*`, identify);
      for (const { path, orderOf } of paid) app.post(base + path, payerWindow(gate, limits, orderOf));
      app.use(`${base}/*`, rateLimit, open);
      if (door !== null) continue;
      guardFacilitator(app, FACILITATOR_BASES[name], { identify, limit: limitCaller(limits) });
    }
    if (door === null) app.use('/admin/*', environments.production.ownerOnly);
  },
});
