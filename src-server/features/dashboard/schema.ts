import { isAbsolute } from 'node:path';
import { z } from 'zod';
import { isProxyEntry } from '../../platform/net/trusted-proxies.ts';
import { say } from '../../platform/text/say.ts';
import { JOB_ORDERS, JOB_STATUSES } from '../jobs/schema.ts';
import { Paid } from '../payments/schema.ts';

/** The 24 hours that the interface guarantees. */
const RETENTION_HOURS_MIN = 24;

/** Saved job views. A longer menu is not usable. */
const JOB_VIEWS_MAX = 30;

function isBase(address: string): boolean {
  const url = URL.parse(address);
  return url === null || !/[?#]|\/\/[^/]*@/.test(url.href);
}

/** Below these paths of its own Quarry could not tell the two apart. */
const OWN_PATHS =
  /^\/(v1|staging|admin|assets|login|openai|ollama|tika|webui|docling|firecrawl|mcp|facilitator|inbox)(\/|$)/;

/** Settings that the owner can change at run time. Every field has a default, so an empty table is valid. */
export const Settings = z
  .strictObject({
    publicUrl: z
      .url({ protocol: /^https?$/ })
      .refine(isBase, say`Give a URL without user name, password, query and fragment: paths are put behind it.`)
      .refine(
        (address) => !OWN_PATHS.test(URL.parse(address)?.pathname ?? ''),
        say`Choose a path that is not one of the API.`,
      )
      .nullable()
      .default(null)
      .describe(
        'Address that clients use, such as that of a reverse proxy, and that absolute URLs in answers begin with. It ' +
          'may have a path. Null: the listening address.',
      ),
    trustedProxies: z
      .array(z.string().refine(isProxyEntry, say`Give an address, such as 10.0.0.2, or a network, such as 10.0.0.0/8.`))
      .max(100)
      .default([])
      .describe(
        'Reverse proxies whose `X-Forwarded-For` or `Forwarded` names the client; of all others it is ignored.',
      ),
    retentionHours: z.int().min(RETENTION_HOURS_MIN).max(8760).default(72).describe('Hours a result is kept.'),
    deletedDays: z
      .int()
      .min(1)
      .max(3650)
      .default(30)
      .describe('Days after which deleted items of the library leave the disk.'),
    originals: z
      .enum(['all', 'talks', 'none'])
      .default('all')
      .describe(
        'Which original files stay with what is read from now on: all, those of recordings, or none. Without one it ' +
          'cannot be played, and reading it again needs the file.',
      ),
    allowPrivateNetworks: z
      .boolean()
      .default(true)
      .describe(
        'Whether the owner, and keys with the scope `private-network`, may name hosts of the private network and of ' +
          'this machine in requests. Nothing that such a host, or a public one, leads to is reached there.',
      ),
    allowHttpWebhooks: z.boolean().default(false).describe('Whether payers may give http webhook addresses.'),
    allowedOrigins: z
      .array(z.url())
      .max(100)
      .default([])
      .describe(
        'Origins, besides its own, that may call the API from a browser: sites, and apps and extensions such as ' +
          '`app://obsidian.md` or `chrome-extension://…`.',
      ),
    backupFolder: z
      .string()
      .refine(isAbsolute, say`Give an absolute path.`)
      .nullable()
      .default(null)
      .describe('Folder that gets a backup of all data at intervals, each in a folder of its own; null for none.'),
    backupEveryHours: z.int().min(1).max(8760).default(24).describe('Hours between two backups.'),
    backupsKept: z.int().min(1).max(1000).default(7).describe('Backups that stay in the folder; older ones go.'),
    documentLimitMb: z.int().min(1).max(2048).default(100).describe('Largest document, in MB.'),
    videoLimitMb: z.int().min(1).max(1_048_576).default(4096).describe('Largest video or audio file, in MB.'),
    crawlMaxPages: z.int().min(1).max(100_000).default(1000).describe('Most pages one crawl reads.'),
    crawlMaxMinutes: z.int().min(1).max(100).default(15).describe('Longest one crawl goes on, in minutes.'),
    crawlDelayMs: z
      .int()
      .min(0)
      .max(30_000)
      .default(100)
      .describe('Least milliseconds between two requests of a crawl to one host; robots.txt may ask for more.'),
    watchRunsKept: z.int().min(2).max(10_000).default(100).describe('Runs that a watched site keeps in its history.'),
    watchDiffsMb: z.int().min(1).max(10_000).default(200).describe('Most MB of diffs that a watched site keeps.'),
    crawlRender: z
      .enum(['never', 'auto', 'always'])
      .default('never')
      .describe('Whether crawls run the scripts of pages when the request does not say: auto for pages without text.'),
    modelMirrorUrl: z
      .url({ protocol: /^https?$/ })
      .nullable()
      .default(null)
      .describe('Where models are fetched from, as <address>/<model>/<file>; null means their publishers.'),
    textModel: z
      .string()
      .min(1)
      .max(200)
      .nullable()
      .default(null)
      .describe('The workspace text model: what POST /generate/text uses by default; null means the first there is.'),
    textModelIdleMinutes: z
      .int()
      .min(0)
      .max(10_080)
      .default(10)
      .describe('Minutes after which a text model that nobody asks gives its memory back; 0 means never.'),
    textServerUrl: z
      .url({ protocol: /^https?$/ })
      .nullable()
      .default(null)
      .describe('A server on this machine that speaks the OpenAI protocol; null means those that are found.'),
    speechServerUrl: z
      .url({ protocol: /^https?$/ })
      .nullable()
      .default(null)
      .describe('A server that speaks by the OpenAI protocol (POST <address>/audio/speech); null means none.'),
    speechServerModel: z.string().min(1).max(200).default('tts-1').describe('What the speech server calls its model.'),
    speechServerVoices: z
      .array(z.string().min(1).max(100))
      .max(200)
      .default(['alloy'])
      .describe('What it calls its voices; they are offered as server-<voice>.'),
    pronunciations: z
      .array(
        z
          .string()
          .max(240)
          .regex(
            /^[^=]*[\p{L}\p{N}][^=]*=[^=]*[\p{L}\p{N}][^=]*$/u,
            say`Give a word, =, and how it sounds: Łódź = woodge.`,
          ),
      )
      .max(500)
      .default([])
      .describe('Words that voices say wrong, and how they sound, such as Łódź = woodge.'),
    jobViews: z
      .array(
        z.strictObject({
          name: z.string().min(1).max(80),
          status: z.enum(JOB_STATUSES).optional(),
          jobType: z.string().max(100).optional(),
          tag: z.string().max(64).optional(),
          text: z.string().max(200).optional(),
          period: z.enum(['today', 'week', 'month']).optional().describe('The last 1, 7 or 30 days.'),
          from: z.iso.date().optional(),
          to: z.iso.date().optional(),
          order: z.enum(JOB_ORDERS).optional(),
        }),
      )
      .max(JOB_VIEWS_MAX)
      .default([])
      .describe('Filters of the list of jobs, kept under a name.'),
    lowDiskMb: z
      .int()
      .min(0)
      .max(100_000_000)
      .default(2048)
      .describe('An alert is raised when the disk of the data folder has fewer MB free; 0 means never.'),
    jsonLimitMb: z.int().min(1).max(512).default(64).describe('Largest JSON body, in MB.'),
  })
  .meta({ id: 'Settings' });

export type Settings = z.infer<typeof Settings>;

export const SettingsChange = Settings.partial().strict().meta({ id: 'SettingsChange' });

const Count = z.int().min(0);

export const Overview = z
  .object({
    version: z.string(),
    uptimeSeconds: Count,
    queues: z.array(
      z.object({
        environment: z.string(),
        byStatus: z.record(z.enum(JOB_STATUSES), Count),
        countedUpTo: Count.describe('Counts stop here.'),
        running: Count,
      }),
    ),
    pool: z.object({ threads: Count, busy: Count, waiting: Count }),
    memory: z.object({ residentBytes: Count, heapBytes: Count }),
    search: z.array(
      z.object({
        environment: z.string(),
        model: z.string().nullable().describe('The embedding model; null while none is installed.'),
        waitingChunks: Count.describe('Chunks without a vector.'),
        rebuiltPercent: Count.nullable().describe('Progress of a rebuild of the index; null when it is complete.'),
      }),
    ),
    disk: z.object({
      folder: z.string().optional().describe('The data folder; a linked device does not see it.'),
      freeBytes: Count,
      totalBytes: Count,
    }),
  })
  .meta({ id: 'Overview' });

export const ACTIVITY_RANGES = ['day', 'month'] as const;

const Time = z.iso.datetime({ precision: 3 });

const Ended = { completed: Count, failed: Count.describe('Without cancelled jobs.') };

export const Activity = z
  .object({
    range: z.enum(ACTIVITY_RANGES),
    buckets: z
      .array(
        z.object({
          from: Time,
          ...Ended,
          byOperation: z.array(z.object({ operationId: z.string(), ...Ended })),
          earned: Paid.describe('Settled payments, in the 6-decimal unit. Play money and real money are never added.'),
        }),
      )
      .describe('Oldest first: 24 hours or 30 days, the current one included.'),
  })
  .meta({ id: 'Activity' });

export type Activity = z.infer<typeof Activity>;
