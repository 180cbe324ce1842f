/**
 * `quarry work` with the operation of fleet-operation.ts. Arguments: the shared folder, the version, by how many
 * milliseconds its clock is wrong, those of `work`.
 */
import { deriveLocations } from '../../src-server/config.ts';
import { VERSION } from '../../src-server/platform/version.ts';
import { readWorkOptions, startWork } from '../../src-server/work.ts';
import { farOperation } from './fleet-operation.ts';
import { hasProductionTiming } from './fleet-timing.ts';

const CHECKPOINT_EVERY_MS = 200;

const [folder = '', version = '', skewMs = '0', ...args] = process.argv.slice(2);
const RightDate = Date;
if (skewMs !== '0') {
  const now = () => RightDate.now() + Number(skewMs);
  globalThis.Date = class WrongDate extends RightDate {
    constructor(...given: ConstructorParameters<typeof RightDate> | []) {
      if (given.length === 0) super(now());
      else super(...given);
    }
    static override now = now;
  } as DateConstructor;
}
const cli = new URL('../../src-server/cli.ts', import.meta.url).href;
try {
  const node = await startWork(
    readWorkOptions([...args, '--log-level', process.env.QUARRY_TEST_LOG ?? 'silent'], {}),
    deriveLocations(cli),
    {
      operations: [farOperation(folder)],
      version: version || VERSION,
      ...(hasProductionTiming() ? {} : { checkpointEveryMs: CHECKPOINT_EVERY_MS }),
      gpu: async () => process.env.QUARRY_TEST_GPU || null,
    },
  );
  process.stdout.write(`works as ${node.name}\n`);
  const stopped = new Promise<null>((resolve) => process.once('SIGTERM', () => resolve(null)));
  const refused = await Promise.race([node.ended, stopped]);
  if (refused === null) {
    await node.close();
    process.exit(0);
  }
  process.stderr.write(`${refused.message}\n`);
  process.exit(1);
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exit(1);
}
