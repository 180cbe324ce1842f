import { expect, test } from 'vitest';
import { startAppliance } from '../harness/appliance.ts';
import { runCli } from '../harness/appliance-process.ts';
import { freePort } from '../harness/broker.ts';
import { DEVICE_HOST, sendCode } from '../harness/linked-device.ts';

test('the command phone switches on, prints a code that links, lists, signs out and switches off', async () => {
  await using appliance = await startAppliance({ joined: false });
  const phone = (...args: string[]) => runCli(['phone', ...args, '--data-dir', appliance.dataDir]);
  expect(await phone()).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('Switch on') });
  const port = await freePort();
  const own = new URL(appliance.url).port;
  expect(await phone('on', '--address', DEVICE_HOST, '--port', own)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('is that of Quarry itself'),
  });
  expect(await phone('off', '--port', '1')).toMatchObject({ code: 1, stderr: expect.stringContaining('phone on') });

  const on = await phone('on', '--address', DEVICE_HOST, '--port', String(port));
  expect(on).toMatchObject({ code: 0, stderr: '' });
  const url = `http://${DEVICE_HOST}:${port}`;
  const code = new RegExp(`${url}/link#(\\S+)`).exec(on.stdout)?.[1] ?? '';
  // A QR code of half blocks above the address.
  expect(on.stdout).toMatch(/^[ █▀▄\n]{600,}\nhttp:/);
  expect((await sendCode(url, code, { 'user-agent': 'Mozilla/5.0 (iPhone) Safari/604.1' })).status).toBe(200);
  const { stdout } = await phone('list');
  expect(stdout).toMatch(/^ses_\S+ {2}Safari on iOS, last used 20/);
  expect((await phone()).stdout).toContain(`${url}/link#`);

  const id = stdout.split(' ')[0] ?? '';
  expect(await phone('sign-out', id)).toMatchObject({ code: 0, stdout: 'The device is signed out.\n' });
  expect(await phone('list')).toMatchObject({ code: 0, stdout: 'No device is linked.\n' });
  expect(await phone('sign-out', id)).toMatchObject({ code: 1, stderr: expect.stringContaining('no such device') });
  expect(await phone('off')).toMatchObject({ code: 0 });
  await expect(fetch(`${url}/link`)).rejects.toThrow();
  expect(await phone('on', '--prot', '1')).toMatchObject({ code: 1, stderr: expect.stringContaining('--port') });
  expect(await phone('sideways')).toMatchObject({ code: 1, stderr: expect.stringContaining('Give on, off') });
});
