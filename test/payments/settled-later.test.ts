import { expect, test } from 'vitest';
import type { PaymentChallenge } from '../../src-server/features/payments/schema.ts';
import { startAppliance } from '../harness/appliance.ts';
import { until } from '../harness/until.ts';
import { authorizationFor, type Entry, header, richWallet, sign } from './proofs.ts';
import { startRelay } from './relay.ts';
import { openShop } from './shop.ts';

test('a payer whose facilitator answers late and who does not ask again: the job runs once the payment is settled', async () => {
  await using remote = await openShop();
  const relay = await startRelay(`${remote.url}/facilitator`);
  const { payTo, asset, extra } = remote.payments.settlementSettings().terms;
  await using appliance = await startAppliance({
    payment: { mode: 'facilitator', facilitatorUrl: relay.url, payTo, asset, extra },
  });
  const url = '/v1/extract/doc';
  const { accepts } = (await (await appliance.anonymous(url, { method: 'POST' })).json()) as PaymentChallenge;
  const entry = accepts[0] as Entry;
  const wallet = await richWallet(remote);
  const proof = await sign(wallet, entry, authorizationFor(entry, wallet.address, appliance.clock.now()));
  relay.before = ({ method }) => (method === '/settle' ? 'lose' : 'forward');
  const unsettled = await appliance.anonymous(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'X-PAYMENT': header(proof) },
    body: JSON.stringify({ file: `data:text/plain;base64,${Buffer.from('Paid for.').toString('base64')}` }),
  });
  expect(unsettled.status).toBe(503);
  relay.before = () => 'forward';

  const jobs = async () => {
    const list = (await (await appliance.owner('/v1/jobs')).json()) as { jobs: { status: string }[] };
    return list.jobs.map(({ status }) => status);
  };
  // Open payments are looked at again every fifteen seconds.
  await until(async () => (await jobs()).length === 1);
  await until(async () => (await jobs())[0] === 'completed');
  await relay.close();
});
