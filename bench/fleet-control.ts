/** The control node of fleet.bench.ts. Arguments: the folder that all processes share, the data folder. */
import { startServer } from '../src-server/app.ts';
import { deriveLocations } from '../src-server/config.ts';
import { OPERATIONS } from '../src-server/features.ts';
import { farOperation } from '../test/harness/fleet-operation.ts';
import { hasProductionTiming } from '../test/harness/fleet-timing.ts';
import { BENCH_TIMING } from './fleet-bed.ts';

const [folder = '', dataDir = ''] = process.argv.slice(2);
const places = deriveLocations(new URL('../src-server/cli.ts', import.meta.url).href);
const server = await startServer({
  ...{
    ...places,
    dataDir,
    logLevel: process.env.QUARRY_TEST_LOG ?? 'silent',
    operations: [...OPERATIONS, farOperation(folder)],
    ...(hasProductionTiming() ? {} : { fleetTiming: BENCH_TIMING }),
  },
});
process.stdout.write(`listening ${server.url}\n`);
process.once('SIGTERM', () => void server.close().then(() => process.exit(0)));
