/** The door for phones and other computers, on a second loopback address, and a device that a program plays. */

import type { z } from 'zod';
import type { LinkCode } from '../../src-server/features/devices/schema.ts';
import type { Appliance, Client } from './appliance.ts';
import { freePort } from './broker.ts';
import { postJson } from './text-models.ts';

/** Another address than that of the appliance, as a network has one. */
export const DEVICE_HOST = '127.0.0.2';

export interface LinkedDevice {
  url: string;
  cookie: string;
  secret: string;
  /** Requests with the cookie and the second secret. */
  as: Client;
}

/** Switches the door on. Gives back where it is. */
export async function openDeviceDoor(appliance: Appliance): Promise<string> {
  const port = await freePort();
  const body = { on: true, address: DEVICE_HOST, port };
  const answer = await appliance.owner('/admin/devices', { ...postJson(body), method: 'PATCH' });
  if (!answer.ok) throw new Error(`The door did not open: ${await answer.text()}`);
  return `http://${DEVICE_HOST}:${port}`;
}

export async function newCode(appliance: Appliance): Promise<z.infer<typeof LinkCode>> {
  const answer = await appliance.owner('/admin/devices/codes', { method: 'POST' });
  if (!answer.ok) throw new Error(`There is no code: ${await answer.text()}`);
  return (await answer.json()) as z.infer<typeof LinkCode>;
}

export const sendCode = (url: string, code: string, headers: Record<string, string> = {}) =>
  fetch(`${url}/link`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ code }),
  });

export async function linkDevice(appliance: Appliance, url: string, userAgent = 'test'): Promise<LinkedDevice> {
  const { code } = await newCode(appliance);
  const answer = await sendCode(url, code, { 'user-agent': userAgent });
  if (!answer.ok) throw new Error(`The device was not linked: ${await answer.text()}`);
  const cookie = (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  const { secret } = (await answer.json()) as { secret: string };
  const as: Client = (path, init = {}) => {
    const headers = new Headers(init.headers);
    headers.set('cookie', cookie);
    headers.set('x-quarry-session', secret);
    return fetch(url + path, { ...init, headers });
  };
  return { url, cookie, secret, as };
}
