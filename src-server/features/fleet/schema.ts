import { z } from 'zod';

const NAME_CHARS_MAX = 60;

const PORT_MAX = 65_535;

const Host = z
  .string()
  .min(1)
  .max(253)
  .regex(/^[A-Za-z0-9.:_-]+$/, 'Give a host name or an address.');

const port = () => z.int().min(1).max(PORT_MAX);

export const FleetChoices = z
  .strictObject({
    enabled: z.boolean().describe('Whether nodes may run jobs of this machine.'),
    host: Host.describe('Address of this machine that the nodes dial. With a loopback address only this machine can.'),
    port: port().describe('Port for the files of jobs.'),
    brokerPort: port().describe('Port of the broker that Quarry starts.'),
    brokerUrl: z
      .string()
      .regex(/^tls:\/\/[^\s/@]+:\d{1,5}$/, 'Give tls://<host>:<port>.')
      .nullable()
      .describe('A broker (nats-server with JetStream) that you run, as tls://<host>:<port>; null: Quarry starts one.'),
    localSlots: z
      .int()
      .min(0)
      .max(1000)
      .nullable()
      .describe('Jobs that can travel and run at once on this machine; null: as many as it has threads.'),
  })
  .meta({ id: 'FleetChoices' });

export type FleetChoices = z.infer<typeof FleetChoices>;

export const FLEET_DEFAULTS: FleetChoices = {
  enabled: false,
  host: '127.0.0.1',
  port: 8403,
  brokerPort: 8404,
  brokerUrl: null,
  localSlots: null,
};

export const FleetChange = FleetChoices.partial().strict().meta({ id: 'FleetChange' });

const Time = z.iso.datetime({ precision: 3 });

export const FleetNode = z
  .object({
    nodeId: z.string(),
    name: z.string(),
    status: z
      .enum(['waiting', 'online', 'offline', 'refused', 'contested'])
      .describe(
        '`waiting`: it has never joined; `refused`: it runs another version of Quarry; `contested`: two processes ' +
          'use its key, and neither gets work.',
      ),
    version: z.string().nullable(),
    cores: z.int().nullable(),
    models: z.array(z.string()).describe('Names of its models.'),
    slots: z.int().describe('Jobs that it runs at once.'),
    busy: z.int(),
    draining: z.boolean().describe('It ends its jobs and gets no more.'),
    createdAt: Time,
    lastSeenAt: Time.nullable().describe('To within a minute; null before it was first seen.'),
  })
  .meta({ id: 'FleetNode' });

export type FleetNode = z.infer<typeof FleetNode>;

export const FleetView = z
  .object({
    choices: FleetChoices,
    state: z.enum(['off', 'starting', 'on', 'failed']),
    error: z.string().nullable().describe('Why the fleet does not work, and what to do.'),
    version: z.string().describe('Of this machine. Nodes must have the same.'),
    brokerConfig: z
      .string()
      .nullable()
      .describe('For your own broker: the users of its `authorization`. Null where Quarry starts the broker.'),
    nodes: z.array(FleetNode).describe('Oldest first.'),
  })
  .meta({ id: 'FleetView' });

export type FleetView = z.infer<typeof FleetView>;

export const NewNode = z.strictObject({
  name: z.string().trim().min(1).max(NAME_CHARS_MAX).describe('What you call the machine. No two nodes share a name.'),
});
