import { parseArgs } from 'node:util';
import { renderUnicodeCompact } from 'uqr';
import { ownerRequests, type SendAsOwner } from './commands/owner-requests.ts';
import { ConfigError } from './config.ts';
import { DeviceAccess, LinkCode } from './features/devices/schema.ts';
import { dataDirFrom } from './platform/files/data-dir.ts';
import { flagProblem } from './platform/flag-errors.ts';

/** `quarry phone`: the door for phones and other computers of the running server, over HTTP. */
export const DEVICE_HELP = `Usage:
  quarry phone                 Print a QR code and an address that link one phone or computer, valid for two minutes
  quarry phone on [options]    Let linked devices of the network in, now and after each start; prints a code too
  quarry phone off             Let no device in; linked devices stay linked
  quarry phone list            List the linked devices
  quarry phone sign-out <id>   Sign a device out

Options:
  --address <ip>   Address of this computer to listen on (default: all of its IPv4 addresses; "all" goes back to it)
  --port <number>  Port for devices (default 8403)
  --data-dir <folder>  Folder of the server

The connection is plain http: others in the network can read along. Use it in networks that you trust.
`;

const PORT = /^\d{1,5}$/;

/**
 * Runs one command and returns what it prints on standard output.
 * @param argv the arguments after `phone`. Errors: ConfigError, also when no server answers or it refuses.
 */
export async function deviceCommand(argv: readonly string[], environment: NodeJS.ProcessEnv): Promise<string> {
  const { values, positionals } = parseDeviceArguments(argv);
  const [act, ...names] = positionals;
  const send = ownerRequests(dataDirFrom(values['data-dir'], environment), '/admin/devices');
  const place = deviceAccessPlace(values);
  if (Object.keys(place).length > 0 && act !== 'on')
    throw deviceUsageError('Give --address and --port with "quarry phone on".');
  if (act === 'sign-out' && names.length === 1) {
    await send('DELETE', `/${encodeURIComponent(names[0] ?? '')}`);
    return 'The device is signed out.\n';
  }
  if (names.length > 0) throw deviceUsageError('Give on, off, list, sign-out with the id of one device, or nothing.');
  if (act === undefined) return createInvitation(send);
  if (act === 'on') {
    await send('PATCH', '', { on: true, ...place });
    return createInvitation(send);
  }
  if (act === 'off') {
    await send('PATCH', '', { on: false });
    return 'No device is let in any more. Linked devices stay linked.\n';
  }
  if (act === 'list') return formatDeviceList(DeviceAccess.parse(await send('GET', '')));
  throw deviceUsageError('Give on, off, list, sign-out with the id of one device, or nothing.');
}

async function createInvitation(send: SendAsOwner): Promise<string> {
  const { links } = LinkCode.parse(await send('POST', '/codes'));
  const codes = links.map((link) => `${renderUnicodeCompact(link)}\n${link}\n`);
  return `${codes.join('\n')}\nThe code links one device, within two minutes.\n`;
}

function formatDeviceList({ devices }: DeviceAccess): string {
  if (devices.length === 0) return 'No device is linked.\n';
  return devices.map(({ deviceId, name, lastUsedAt }) => `${deviceId}  ${name}, last used ${lastUsedAt}\n`).join('');
}

function parseDeviceArguments(argv: readonly string[]) {
  const text = { type: 'string' } as const;
  const options = { address: text, port: text, 'data-dir': text } as const;
  try {
    return parseArgs({ args: [...argv], options, strict: true, allowPositionals: true });
  } catch (error) {
    throw new ConfigError(flagProblem(error, Object.keys(options), 'quarry phone'));
  }
}

function deviceAccessPlace({ address, port }: { address?: string | undefined; port?: string | undefined }) {
  const place: { address?: string | null; port?: number } = {};
  if (address !== undefined) place.address = address === 'all' ? null : address;
  if (port !== undefined && !PORT.test(port)) throw new ConfigError('--port: Give a number from 1 to 65535.');
  if (port !== undefined) place.port = Number(port);
  return place;
}

function deviceUsageError(message: string): ConfigError {
  return new ConfigError(`${message}\n\n${DEVICE_HELP}`);
}
