import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sniffFile } from '../../../src-server/platform/files/sniff.ts';

const run = promisify(execFile);

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'raw sound '));
});
afterAll(() => rm(folder, { recursive: true }));

const STEREO = ['-ar', '48000', '-ac', '2'];

test.each([
  ['a.ac3', ['-c:a', 'ac3', '-ar', '44100', '-b:a', '192k'], 'an AC-3 audio file'],
  ['b.ac3', ['-c:a', 'ac3', '-ar', '48000', '-b:a', '64k'], 'an AC-3 audio file'],
  ['c.ac3', ['-c:a', 'ac3', '-ar', '32000', '-b:a', '128k'], 'an AC-3 audio file'],
  ['a.eac3', ['-c:a', 'eac3', '-ar', '48000'], 'an E-AC-3 audio file'],
  ['a.dts', ['-c:a', 'dca', '-strict', '-2', ...STEREO], 'a DTS audio file'],
  ['a.thd', ['-c:a', 'truehd', '-strict', '-2', ...STEREO], 'a TrueHD audio file'],
  ['a.loas', ['-c:a', 'aac', '-f', 'latm'], 'an AAC audio file'],
  ['a.w64', [], 'a Wave64 audio file'],
  ['a.tta', ['-c:a', 'tta'], 'a True Audio file'],
  ['a.voc', ['-c:a', 'pcm_u8'], 'a Creative Voice file'],
  ['a.gsm', ['-c:a', 'libgsm', '-ar', '8000', '-ac', '1'], 'a GSM audio file'],
  ['a.rm', ['-c:a', 'real_144', '-ar', '8000', '-ac', '1'], 'a RealMedia file'],
  ['a.nut', ['-c:a', 'flac'], 'a NUT video'],
])('%s %j is known by its bytes, not by its name', async (name, args, label) => {
  const path = join(folder, name);
  await run('ffmpeg', ['-v', 'error', '-y', '-f', 'lavfi', '-i', 'sine=440:duration=1', ...args, path]);
  expect((await sniffFile(path, null)).label).toBe(label);
  expect((await sniffFile(path, 'a.txt')).label).toBe(label);
});

test.each([
  ['a sync word without a second frame', Buffer.concat([Buffer.from('0b7700001e40e1', 'hex'), Buffer.alloc(4000, 1)])],
  ['letters', Buffer.from('riff on a theme: TTA1, .ra and nut/multimedia. '.repeat(40))],
  ['Vietnamese in bytes of the GSM sign', Buffer.from('Đường phố Hà Nội. '.repeat(60))],
])('%s is no sound', async (_, bytes) => {
  const path = join(folder, 'none');
  await writeFile(path, bytes);
  expect((await sniffFile(path, null)).kind).not.toBe('audio');
});
