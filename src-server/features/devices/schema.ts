import { isIP } from 'node:net';
import { z } from 'zod';
import { say } from '../../platform/text/say.ts';

/** Beside the port of the appliance itself. */
export const DEFAULT_PORT = 8403;

const Time = z.iso.datetime({ precision: 3 });

const port = z.int().min(1).max(65_535);

const address = z
  .string()
  .refine((text) => isIP(text) !== 0, say`Give an IP address of this computer, or null for all of them.`)
  .nullable();

export const DoorChange = z.strictObject({
  on: z.boolean().optional(),
  address: address.optional().describe('Address of this computer to listen on; null: all of its IPv4 addresses.'),
  port: port.optional(),
});

export type DoorChange = z.infer<typeof DoorChange>;

export const LinkedDevice = z
  .object({
    deviceId: z.string(),
    name: z.string().describe('Browser and system, with a number where several share them.'),
    linkedAt: Time,
    lastUsedAt: Time.describe('To within a few minutes.'),
    expiresAt: Time.describe('30 days after its last use.'),
  })
  .meta({ id: 'LinkedDevice' });

export const DeviceAccess = z
  .object({
    on: z.boolean(),
    address,
    port,
    listening: z.boolean(),
    problem: z.string().nullable().describe('Why devices cannot connect, and what to do; null where they can.'),
    addresses: z.array(z.string()).describe('IPv4 addresses of this computer in its networks.'),
    urls: z.array(z.string()).describe('Where devices open Quarry, one for each address of this computer.'),
    devices: z.array(LinkedDevice).describe('Last used first.'),
  })
  .meta({ id: 'DeviceAccess' });

export type DeviceAccess = z.infer<typeof DeviceAccess>;

export const LinkCode = z
  .object({
    code: z.string().describe('Links one device, once.'),
    links: z.array(z.string()).describe('Addresses for the QR code, one for each address of this computer.'),
    expiresAt: Time,
  })
  .meta({ id: 'LinkCode' });
