import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * A fresh machine does not know yet what each file takes, and begins with the longest text: the file that compiles a
 * program for half a minute would then be among the last, with nothing to do for the other core. By CPU seconds, but
 * for the one at the head: its servers end in order, and only such leave what V8 compiled to those that are killed.
 */
const DEAREST = [
  'survival/kill',
  'scripts/gates',
  'crawl/rendered-pages',
  'e2e/dashboard',
  'e2e/dashboard-work.long',
  'media/speech/speakers.long',
  'api/extract-video/202',
  'api/generate-audio/202',
  'jobs/install',
  'jobs/lifecycle',
  'openai/stock-client',
  'api/crawl/documentation.long',
  'platform/pool/worker-pool',
  'payments/onchain',
  'payments/crash',
  'fleet/travels.long',
  'fleet/recognition.long',
  'fleet/nodes',
  'audio/speech',
  'media/speech/whisper-cli.long',
  'media/cut-recordings.long',
  'media/containers.long',
  'media/frames.long',
  'media/killed.long',
  'e2e/shell-desktop.long',
  'e2e/dashboard-care.long',
  'survival/start-and-stop.long',
  'e2e/shell.long',
  'text/several-models.long',
  'api/extract-hosted-video/202.long',
  'e2e/dashboard-results.long',
  'media/stages.long',
  'e2e/dashboard-live.long',
].map((name) => join(import.meta.dirname, `${name}.test.ts`));

export default class DearestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const gone = DEAREST.filter((file) => !existsSync(file));
    if (gone.length > 0) throw new Error(`No longer there, so name others to begin with: ${gone.join(', ')}`);
    const sorted = await super.sort(files);
    // A process is shared for as long as the next file shares it too.
    const apart = sorted.filter(({ project }) => project.config.isolate);
    const shared = sorted.filter((file) => !apart.includes(file));
    const first = DEAREST.flatMap((file) => shared.filter(({ moduleId }) => moduleId === file));
    return [...apart, ...first, ...shared.filter((file) => !first.includes(file))];
  }
}
