/** Nodes that stop, freeze or do not answer while a crawl renders its pages there. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { CrawlResult } from '../../src-server/features/crawl/schema.ts';
import {
  type BrowserBed,
  beginCrawl,
  browsersMissing,
  descendantsLike,
  expectSteps,
  pidOf,
  setBrowser,
  startBrowserBed,
} from '../harness/browser-bed.ts';
import { isAtWork } from '../harness/child-processes.ts';
import { finished } from '../harness/jobs.ts';
import { HOST } from '../harness/rendered-site.ts';
import { until } from '../harness/until.ts';

const missing = browsersMissing();

describe.skipIf(missing !== null)(`browsers of nodes${missing === null ? '' : ` (skipped: ${missing})`}`, () => {
  let bed: BrowserBed;
  const steps = { url: `${HOST}/steps`, depth: 1, render: 'auto' };
  /** Runs once, when the fourth page is amid its script. */
  const amid = (act: () => void) => {
    let count = 0;
    bed.site.onStep = () => {
      count += 1;
      if (count === 4) act();
    };
  };

  beforeAll(async () => {
    bed = await startBrowserBed();
  });
  afterEach(() => bed.endAll());
  afterAll(async () => {
    setBrowser(true);
    await bed[Symbol.asyncDispose]();
  });

  test.each(['SIGTERM', 'SIGSTOP'] as const)(
    '%s of a node amid a crawl loses and doubles no page, and leaves no browser',
    async (signal) => {
      setBrowser(false);
      const workers = await Promise.all([bed.start(), bed.start()]);
      let browsers: number[] = [];
      amid(() => {
        for (const worker of bed.atWork()) {
          browsers = descendantsLike(pidOf(worker), '--user-data-dir=');
          worker.child.kill(signal);
        }
      });
      expectSteps(await bed.site.crawl(steps));
      expect(browsers).not.toEqual([]);
      for (const { child } of workers) child.kill('SIGCONT');
      await until(() => !browsers.some(isAtWork));
    },
  );

  test('a crawl goes on with the browser of a node when this machine is started again', async () => {
    setBrowser(false);
    await bed.start();
    const { promise, resolve } = Promise.withResolvers<void>();
    amid(resolve);
    const crawlId = await beginCrawl(bed.site, steps);
    await promise;
    await bed.site.appliance.restart();
    const job = await finished(bed.site.appliance.owner, crawlId);
    expect(job.error ?? null).toBeNull();
    expectSteps(job.result as unknown as CrawlResult);
  });

  test('a crawl whose node is killed goes on with the browser of this machine', async () => {
    setBrowser(true);
    const worker = await bed.start();
    amid(() => worker.child.kill('SIGKILL'));
    expectSteps(await bed.site.crawl(steps));
  });

  test('a node that does not take the browser is passed over', async () => {
    setBrowser(true);
    const worker = await bed.start();
    worker.child.kill('SIGSTOP');
    const result = await bed.site.crawl({ url: `${HOST}/app`, depth: 0, render: 'always' });
    expect(result.pages[0]?.markdown).toContain('The tide is high.');
    worker.child.kill('SIGCONT');
  });
});
