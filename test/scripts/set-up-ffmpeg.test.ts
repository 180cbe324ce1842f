import { execFile } from 'node:child_process';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import {
  type BinaryAnswer,
  type BinaryMirror,
  lengthOf,
  SetUpProject,
  startBinaryMirror,
  whole,
} from '../harness/set-up-project.ts';

/** A program that says its version, as set-up and the server ask it to. */
const program = (version: string) => Buffer.from(`#!/bin/sh\necho "ffmpeg version ${version} of the test"\n`);
const NO_FFMPEG = /^ffmpeg could not be fetched \((.+)\), so audio and video cannot be transcribed\. (.+)$/m;

const cut: BinaryAnswer = (response, gzipped) => {
  response.writeHead(200, lengthOf(gzipped));
  response.write(gzipped.subarray(0, gzipped.length / 2), () => response.destroy());
};
const hang: BinaryAnswer = (response, gzipped) => {
  response.writeHead(200, lengthOf(gzipped)).write(gzipped.subarray(0, gzipped.length / 2));
};
const page = gzipSync('<html>Sign in to the network first.</html>');

// The programs of the test are shell scripts.
describe.skipIf(process.platform === 'win32')('set-up fetches the binary of ffmpeg-static', () => {
  let project: SetUpProject;
  let mirror: BinaryMirror;
  beforeEach(async () => {
    project = SetUpProject.withFfmpegPackage();
    mirror = await startBinaryMirror(program('7.1'));
  });
  afterEach(async () => {
    await mirror[Symbol.asyncDispose]();
    project[Symbol.dispose]();
  });

  const start = (variables: Record<string, string> = {}) =>
    project.run('setup.mjs', ['--ffmpeg'], { FFMPEG_BINARIES_URL: mirror.url, ...variables });
  const again = () => project.run('fetch-ffmpeg.mjs', [], { FFMPEG_BINARIES_URL: mirror.url });
  const onPath = (version: string) => {
    writeFileSync(join(project.programs, 'ffmpeg'), program(version), { mode: 0o755 });
  };
  const folders = () => readdirSync(dirname(project.ffmpeg)).filter((name) => name.startsWith('.'));

  test('where none is there, once, with its licence, and says so on standard error alone', async () => {
    const first = await start();
    expect(first).toMatchObject({ status: 0, stdout: '' });
    expect(first.stderr).toMatch(/^Fetching ffmpeg, .*\n(?:Fetching ffmpeg: \d+ MB\n)*ffmpeg is installed\.\n$/m);
    expect(mirror.requests).toEqual([`/b6.1.1/ffmpeg-${process.platform}-${process.arch}.gz`]);
    expect((await promisify(execFile)(project.ffmpeg, ['-version'])).stdout).toContain('7.1');
    expect(existsSync(`${project.ffmpeg}.LICENSE`)).toBe(true);
    expect(folders()).toEqual([]);
    const second = await start();
    expect(second).toEqual({ status: 0, stdout: '', stderr: '' });
    expect(mirror.requests).toHaveLength(1);
  });

  test.each<[string, BinaryAnswer, RegExp, Record<string, string>]>([
    ['a host that has no such file', (response) => void response.writeHead(404).end(), /^the server answered 404$/, {}],
    ['a transfer that is cut', cut, /^the transfer failed: /, {}],
    ['a transfer that hangs', hang, /^it took more than 1 seconds$/, { QUARRY_FFMPEG_FETCH_SECONDS: '1' }],
    [
      'a page in its place',
      (response) => void response.writeHead(200, lengthOf(page)).end(page),
      /^what arrived is not a working ffmpeg$/,
      {},
    ],
  ])('%s: one line says why and what to do, the start goes on, and the next one does not try again', async (...row) => {
    const [, answer, reason, variables] = row;
    mirror.answer = answer;
    const failed = await start(variables);
    expect(failed).toMatchObject({ status: 0, stdout: '' });
    const [, why, what] = NO_FFMPEG.exec(failed.stderr) ?? [];
    expect(why, failed.stderr).toMatch(reason);
    expect(what).toBe("Install ffmpeg with your system's package manager, or try again with: npm run ffmpeg");
    expect(failed.stderr).not.toMatch(/\n\s+at /);
    expect(existsSync(project.ffmpeg)).toBe(false);
    expect(folders()).toEqual([]);
    const asked = mirror.requests.length;
    expect(await start()).toEqual({ status: 0, stdout: '', stderr: '' });
    expect(mirror.requests).toHaveLength(asked);
  });

  test('`npm run ffmpeg` tries again after a failure, and its exit code says whether ffmpeg is there', async () => {
    mirror.answer = (response) => void response.writeHead(404).end();
    await start();
    expect((await again()).status).toBe(1);
    mirror.answer = whole;
    expect((await again()).status).toBe(0);
    expect(existsSync(project.ffmpeg)).toBe(true);
  });

  test('a host that refuses connections is told as one', async () => {
    await mirror[Symbol.asyncDispose]();
    const failed = await start();
    expect(NO_FFMPEG.exec(failed.stderr)?.[1], failed.stderr).toContain('ECONNREFUSED');
    mirror = await startBinaryMirror(program('7.1'));
  });

  test('but not where PATH has one that the server takes, nor where QUARRY_FFMPEG names one', async () => {
    expect(await start({ QUARRY_FFMPEG: '/somewhere/ffmpeg' })).toMatchObject({ status: 0, stdout: '' });
    onPath('4.3');
    expect(await start()).toMatchObject({ status: 0 });
    expect(mirror.requests).toEqual([]);
    expect(existsSync(project.ffmpeg)).toBe(false);
    // A package of the desktop app holds it all the same: it is installed where PATH may have none.
    expect((await again()).status).toBe(0);
    expect(existsSync(project.ffmpeg)).toBe(true);
  });

  test('where PATH has one that is too old', async () => {
    onPath('4.2.7');
    await start();
    expect(existsSync(project.ffmpeg)).toBe(true);
  });

  test('but not for the tests, which reach no other host: only the commands that start the product ask for it', async () => {
    await project.run('setup.mjs', [], { FFMPEG_BINARIES_URL: mirror.url });
    expect(mirror.requests).toEqual([]);
    const asking = Object.entries(manifest.scripts).filter(([, command]) => command.includes('--ffmpeg'));
    expect(asking.map(([name]) => name)).toEqual(['prestart', 'preserve', 'predev']);
  });
});
