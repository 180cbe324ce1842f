import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * A fresh machine does not know yet what each file takes, and begins with the longest text: the file that compiles a
 * program for half a minute would then be among the last, with nothing to do for the other core. By CPU seconds, but
 * for the one at the head: its servers end in order, and only such leave what V8 compiled to those that are killed.
 */
const DEAREST = [
  'survival/refused-start',
  'media/speech/whisper-cli',
  'scripts/gates',
  'media/containers',
  'media/killed',
  'media/stages',
  'survival/kill',
  'text/several-models',
  'survival/start-and-stop',
  'media/speech/voice-activity',
  'api/extract-hosted-video/202',
  'api/extract-video/202',
  'payments/crash',
  'survival/hostile-documents',
  'api/crawl/killed',
  'audio/other-voices',
].map((name) => join(import.meta.dirname, `${name}.test.ts`));

export default class DearestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const gone = DEAREST.filter((file) => !existsSync(file));
    if (gone.length > 0) throw new Error(`No longer there, so name others to begin with: ${gone.join(', ')}`);
    const rest = await super.sort(files);
    const first = DEAREST.flatMap((file) => rest.filter(({ moduleId }) => moduleId === file));
    return [...first, ...rest.filter((file) => !first.includes(file))];
  }
}
