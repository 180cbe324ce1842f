import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';

const SCRIPT = join(import.meta.dirname, '../../scripts/fetch-ffmpeg.ts');
const PROGRAM = `#!/bin/sh\necho "ffmpeg version 7.1"\nexit 0\n${randomBytes(4_000_000).toString('hex')}`;

let folder: string;
let status = 200;
const requests: (string | undefined)[] = [];
const mirror = createServer((request, response) => {
  requests.push(request.url);
  const body = gzipSync(PROGRAM);
  response.writeHead(status, { 'content-length': body.length }).end(body);
});

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'quarry ffmpeg '));
  await new Promise<void>((resolve) => mirror.listen(0, '127.0.0.1', resolve));
});
afterAll(() => {
  mirror.close();
  rmSync(folder, { recursive: true, force: true });
});

function run(...flags: string[]): Promise<{ code: unknown; said: string }> {
  const url = `http://127.0.0.1:${(mirror.address() as AddressInfo).port}`;
  const env = { ...process.env, FFMPEG_BIN: join(folder, 'ffmpeg'), FFMPEG_BINARIES_URL: url };
  return new Promise((resolve) => {
    execFile(process.execPath, [SCRIPT, ...flags], { env }, (error, _stdout, said) =>
      resolve({ code: error?.code ?? 0, said }),
    );
  });
}

// The program of the test is a shell script.
test.skipIf(process.platform === 'win32')(
  '`npm run ffmpeg` puts the binary where ffmpeg-static expects it; a failure says why and is none for a package',
  async () => {
    status = 404;
    const failed = await run();
    expect(failed).toMatchObject({ code: 1, said: expect.stringMatching(/answered 404/) });
    expect(failed.said).not.toMatch(/\n\s+at /);
    expect((await run('--optional')).code).toBe(0);
    expect(existsSync(join(folder, 'ffmpeg'))).toBe(false);
    status = 200;
    expect(await run()).toMatchObject({ code: 0, said: expect.stringMatching(/ffmpeg is installed\.\n$/) });
    expect(requests.at(-1)).toBe(`/b6.1.1/ffmpeg-${process.platform}-${process.arch}.gz`);
    expect((await promisify(execFile)(join(folder, 'ffmpeg'), ['-version'])).stdout).toContain('7.1');
    expect(readdirSync(folder).filter((name) => name.startsWith('.'))).toEqual([]);
  },
);
