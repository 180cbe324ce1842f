/** Settlement as the person who starts the server fixes it, by environment variables. */
import { spawnSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { PAYMENT_VARIABLES, readConfig } from '../../src-server/config.ts';
import { startAppliance } from '../harness/appliance.ts';
import { postJson } from '../harness/text-models.ts';

const CLI = new URL('../../src-server/cli.ts', import.meta.url).pathname;
const KEY = `0x${'7c'.repeat(32)}`;
const PAY_TO = '0x1111111111111111111111111111111111111111';
const ASSET = '0x2222222222222222222222222222222222222222';
const ALL = {
  QUARRY_SETTLEMENT: 'onchain',
  QUARRY_NETWORK: 'base',
  QUARRY_PAY_TO: PAY_TO,
  QUARRY_RPC_URL: 'http://127.0.0.1:1/',
  QUARRY_FACILITATOR_URL: 'http://127.0.0.1:1/facilitator',
  QUARRY_PRIVATE_KEY: KEY,
  QUARRY_ASSET: ASSET,
  QUARRY_ASSET_NAME: 'Euro',
  QUARRY_ASSET_VERSION: '3',
  QUARRY_CONFIRMATIONS: '5',
  QUARRY_PAY_TO_SHARED: 'true',
  QUARRY_V2_HEADER: 'off',
};

describe('variables', () => {
  test('reach every setting, the 402 and the list of what cannot be changed while it runs', async () => {
    expect(Object.keys(ALL).sort()).toEqual(PAYMENT_VARIABLES.map(({ name }) => name).sort());
    const { payment } = readConfig([], ALL);
    await using appliance = await startAppliance({ payment });
    const answer = await (await appliance.owner('/admin/settlement')).text();
    expect(answer).not.toContain(KEY.slice(2));
    const { settings } = JSON.parse(answer) as { settings: Record<string, unknown> };
    expect(settings).toMatchObject({
      mode: 'onchain',
      network: 'base',
      payTo: PAY_TO,
      rpcUrl: 'http://127.0.0.1:1/',
      facilitatorUrl: 'http://127.0.0.1:1/facilitator',
      asset: ASSET,
      extra: { name: 'Euro', version: '3' },
      confirmations: 5,
      payToShared: true,
      v2Header: false,
      hasPrivateKey: true,
    });
    expect((settings.fixedFields as string[]).sort()).toEqual(
      [
        'mode',
        'network',
        'payTo',
        'rpcUrl',
        'facilitatorUrl',
        'asset',
        'extra',
        'confirmations',
        'payToShared',
        'v2Header',
        'privateKey',
      ].sort(),
    );
    const unpaid = await appliance.anonymous('/v1/crawl', { method: 'POST' });
    expect(unpaid.headers.has('payment-required')).toBe(false);
    expect(await unpaid.json()).toMatchObject({
      accepts: [{ network: 'base', asset: ASSET, payTo: PAY_TO, extra: { name: 'Euro', version: '3' } }],
    });
    const change = await appliance.owner('/admin/settlement', { ...postJson({ confirmations: 1 }), method: 'PUT' });
    expect(change.status).toBe(409);
  });

  test('that are left out or empty leave every setting to the owner', () => {
    expect(readConfig([], { QUARRY_ASSET: '', QUARRY_V2_HEADER: '' }).payment).toEqual({});
  });

  test.each([
    [{ QUARRY_SETTLEMENT: 'cash' }, 'QUARRY_SETTLEMENT'],
    [{ QUARRY_ASSET: 'USDC' }, 'QUARRY_ASSET'],
    [{ QUARRY_ASSET_NAME: 'Euro' }, 'QUARRY_ASSET_VERSION'],
    [{ QUARRY_ASSET_VERSION: '3' }, 'QUARRY_ASSET_NAME'],
    [{ QUARRY_CONFIRMATIONS: '0' }, 'QUARRY_CONFIRMATIONS'],
    [{ QUARRY_CONFIRMATIONS: '1.5' }, 'QUARRY_CONFIRMATIONS'],
    [{ QUARRY_CONFIRMATIONS: 'two' }, 'QUARRY_CONFIRMATIONS'],
    [{ QUARRY_V2_HEADER: 'maybe' }, 'QUARRY_V2_HEADER'],
    [{ QUARRY_PRIVATE_KEY: '0xsecret' }, 'QUARRY_PRIVATE_KEY'],
  ])('that make no sense stop the start by name, without their value: %o', (environment, name) => {
    expect(() => readConfig([], environment)).toThrow(name);
    expect(() => readConfig([], environment)).not.toThrow('0xsecret');
  });

  test.each([
    [{ QUARRY_SETTLEMENT: 'cash' }, 'QUARRY_SETTLEMENT is not usable: Give one of: sandbox, facilitator, onchain.'],
    [{ QUARRY_NETWORK: 'mars' }, 'QUARRY_NETWORK is not usable: Give one of: base-sepolia, base.'],
    [{ QUARRY_CONFIRMATIONS: 'two' }, 'QUARRY_CONFIRMATIONS is not usable: Give a whole number from 1 to 64.'],
    [{ QUARRY_CONFIRMATIONS: '0' }, 'QUARRY_CONFIRMATIONS is not usable: Give a whole number from 1 to 64.'],
    [{ QUARRY_PAY_TO: 'me' }, 'QUARRY_PAY_TO is not usable: Give an address: 0x and 40 hexadecimal digits.'],
  ])('that make no sense are refused with what to give: %o', (environment, message) => {
    expect(() => readConfig([], environment)).toThrow(message);
  });

  test('are named by help and doctor, the key without its value', () => {
    const run = (command: string) =>
      spawnSync(process.execPath, [CLI, command], { env: { ...process.env, ...ALL }, encoding: 'utf8' });
    const help = run('help');
    for (const name of Object.keys(ALL)) expect(help.stdout + help.stderr).toContain(name);
    const doctor = run('doctor').stdout;
    expect(doctor).toMatch(/Settlement: variables fix .*mode "onchain".*confirmations 5.*a private key/);
    expect(doctor).not.toContain(KEY.slice(2));
  });
});
