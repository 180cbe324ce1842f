import { z } from 'zod';
import { say } from '../../platform/text/say.ts';

const NAME_CHARS_MAX = 60;

const CA_CHARS_MAX = 64_000;

const LOGIN_CHARS_MAX = 500;

const PORT_MAX = 65_535;

const Host = z
  .string()
  .min(1)
  .max(253)
  .regex(/^[A-Za-z0-9.:_-]+$/, say`Give a host name or an address.`);

const fleetPortField = () => z.int().min(1).max(PORT_MAX);

export const FleetChoices = z
  .strictObject({
    enabled: z.boolean().describe('Whether nodes may run jobs of this machine.'),
    host: Host.describe('Address of this machine that the nodes dial. With a loopback address only this machine can.'),
    port: fleetPortField().describe('Port for the files of jobs.'),
    brokerPort: fleetPortField().describe('Port of the broker that Quarry starts.'),
    brokerUrl: z
      .string()
      .regex(/^tls:\/\/[^\s/@]+:\d{1,5}$/, say`Give tls://<host>:<port>.`)
      .nullable()
      .describe('A broker (nats-server with JetStream) that you run, as tls://<host>:<port>; null: Quarry starts one.'),
    brokerCa: z
      .string()
      .max(CA_CHARS_MAX)
      .regex(
        /^\s*-----BEGIN CERTIFICATE-----[\s\S]+-----END CERTIFICATE-----\s*$/,
        say`Give certificates in PEM format.`,
      )
      .nullable()
      .describe(
        'Certificates of the authority that signs that of your broker, in PEM format; null: those of the system.',
      ),
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
  brokerCa: null,
  localSlots: null,
};

/** How this machine and its nodes log in to the owner's broker. */
export const BrokerLogin = z
  .discriminatedUnion('kind', [
    z.strictObject({
      kind: z.literal('password'),
      user: z.string().min(1).max(LOGIN_CHARS_MAX),
      password: z.string().min(1).max(LOGIN_CHARS_MAX),
    }),
    z.strictObject({
      kind: z.literal('creds'),
      creds: z
        .string()
        .max(CA_CHARS_MAX)
        .regex(/BEGIN NATS USER JWT[\s\S]+BEGIN USER NKEY SEED/, say`Give the text of a .creds file.`)
        .describe('Text of a .creds file.'),
    }),
  ])
  .meta({ id: 'BrokerLogin' });

export type BrokerLogin = z.infer<typeof BrokerLogin>;

export const FleetChange = FleetChoices.partial()
  .extend({
    brokerLogin: BrokerLogin.nullable()
      .optional()
      .describe(
        'Login for your own broker, which this machine and all nodes use. It is kept in a private file and not ' +
          'shown. Null: each has a key of its own (nkey).',
      ),
  })
  .strict()
  .meta({ id: 'FleetChange' });

export type FleetChange = z.infer<typeof FleetChange>;

const Time = z.iso.datetime({ precision: 3 });

const NodeModel = z.object({ name: z.string(), kind: z.string(), sizeBytes: z.int().min(0) }).meta({ id: 'NodeModel' });

/** A model that is being copied to a node, or could not be. */
export const NodeCopy = z
  .object({
    model: z.string(),
    state: z
      .enum(['waiting', 'downloading', 'verifying', 'failed'])
      .describe('`waiting`: for the node, or for a copy before it.'),
    receivedBytes: z.int().min(0),
    totalBytes: z.int().min(0),
    error: z.string().nullable().describe('Why it failed, and what to do.'),
  })
  .meta({ id: 'NodeCopy' });

export type NodeCopy = z.infer<typeof NodeCopy>;

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
    gpu: z.string().nullable().describe('Its graphics processor; null when none is known.'),
    operations: z.array(z.string()).describe('Operations that it runs.'),
    models: z.array(NodeModel).describe('Its models, also while it is away.'),
    copies: z.array(NodeCopy).describe('Models that are being copied to it.'),
    slots: z.int().describe('Heavy jobs that it runs at once, such as talks.'),
    busy: z.int().describe('Heavy jobs that it runs now.'),
    lightSlots: z.int().describe('Light jobs, such as pictures and written answers, that it runs at once beside them.'),
    lightBusy: z.int().describe('Light jobs that it runs now.'),
    browsers: z.int().describe('Browsers that it offers to crawls of this machine.'),
    browsersTaken: z.int().describe('Of these, with crawls.'),
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
      .describe(
        'For your own broker: the users of its `authorization`, with their keys. Null where Quarry starts the ' +
          'broker, and where all use one login.',
      ),
    brokerLogin: z
      .enum(['nkeys', 'password', 'creds'])
      .describe('How this machine and its nodes log in to the broker.'),
    nodes: z.array(FleetNode).describe('Oldest first.'),
  })
  .meta({ id: 'FleetView' });

export type FleetView = z.infer<typeof FleetView>;

export const NewNode = z.strictObject({
  name: z.string().trim().min(1).max(NAME_CHARS_MAX).describe('What you call the machine. No two nodes share a name.'),
});
