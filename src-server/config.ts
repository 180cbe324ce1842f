import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { ConfigError } from './config-error.ts';
import { dataDirFrom } from './data-dir.ts';
import type { FixedPaymentSettings } from './features/payments/settings.ts';
import { PAYMENT_VARIABLES, readPaymentVariables } from './payment-variables.ts';

/**
 * What is fixed while the server runs: flags win over environment variables, which win over defaults (decisions 1).
 * What can change while it runs is a setting, see settings.ts.
 */
const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'silent'] as const;
const PORT_RANGE = 'give a number from 0 to 65535';

const Config = z.object({
  host: z.string().min(1, 'give an address'),
  port: z
    .string()
    .regex(/^\d{1,5}$/, PORT_RANGE)
    .transform(Number)
    .pipe(z.number().max(65_535, PORT_RANGE)),
  dataDir: z.string().min(1, 'give a folder'),
  modelsDir: z.string().min(1, 'give a folder').optional(),
  logLevel: z.enum(LOG_LEVELS, `give one of ${LOG_LEVELS.join(', ')}`),
  payment: z.custom<FixedPaymentSettings>(),
  textServerKey: z.string().min(1).optional(),
  speechServerKey: z.string().min(1).optional(),
});
export type Config = Readonly<z.infer<typeof Config>>;

const DEFAULT_HOST = '127.0.0.1';
const DEFAULT_PORT = '8402';

export const CONFIG_HELP = `Options:
  --host <address>       Address to listen on (QUARRY_HOST, default ${DEFAULT_HOST})
  --port <number>        Port to listen on, 0 picks a free one (QUARRY_PORT, default ${DEFAULT_PORT})
  --data-dir <folder>    Where jobs, files, settings and keys are kept (QUARRY_DATA_DIR)
  --models-dir <folder>  Where models are kept (QUARRY_MODELS_DIR, default: models in the data folder)
  --log-level <level>    fatal, error, warn, info, debug or silent (QUARRY_LOG_LEVEL, default info)

Settlement (default: sandbox), by variables that win over the settings page:
${PAYMENT_VARIABLES.map(({ name, means }) => `  ${name.padEnd(24)}${means}`).join('\n')}

Text and speech servers: QUARRY_TEXT_SERVER_KEY and QUARRY_SPEECH_SERVER_KEY, where they need a key.
`;

/** @param argv the arguments after the command's name. */
export function readConfig(argv: readonly string[], environment: NodeJS.ProcessEnv): Config {
  const flags = readFlags(argv);
  /** A variable that is set to nothing is not set; a flag without a value is a slip, mostly of a script's variable. */
  const given = (flag: keyof typeof flags, variable: string) => flags[flag] ?? (environment[variable] || undefined);
  const parsed = Config.safeParse({
    host: given('host', 'QUARRY_HOST') ?? DEFAULT_HOST,
    port: given('port', 'QUARRY_PORT') ?? DEFAULT_PORT,
    dataDir: dataDirFrom(flags['data-dir'], environment),
    modelsDir: absolute(given('models-dir', 'QUARRY_MODELS_DIR')),
    logLevel: given('log-level', 'QUARRY_LOG_LEVEL') ?? 'info',
    payment: readPaymentVariables(environment),
    // The key of a text server stays out of the settings, which pages and logs may show.
    textServerKey: environment.QUARRY_TEXT_SERVER_KEY || undefined,
    speechServerKey: environment.QUARRY_SPEECH_SERVER_KEY || undefined,
  });
  if (parsed.success) return Object.freeze(parsed.data);
  const [issue] = parsed.error.issues;
  const flag = String(issue?.path[0]).replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  const variable = `QUARRY_${flag.replaceAll('-', '_').toUpperCase()}`;
  throw new ConfigError(`--${flag}, or ${variable}, is not usable: ${issue?.message}.`);
}

function readFlags(argv: readonly string[]) {
  const text = { type: 'string' } as const;
  try {
    const options = { host: text, port: text, 'data-dir': text, 'models-dir': text, 'log-level': text };
    return parseArgs({ args: [...argv], options, strict: true }).values;
  } catch (error) {
    throw new ConfigError(`${(error as Error).message}\n\n${CONFIG_HELP}`);
  }
}

/** Nothing stays nothing: it would otherwise become the folder that the process was started in. */
function absolute(folder: string | undefined): string | undefined {
  return folder === undefined || folder === '' ? folder : resolve(folder);
}
