import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AudioResult } from '../../src-server/features/audio/schema.ts';
import { finishSound } from '../../workers/audio/finish-sound.ts';
import { type Appliance, startAppliance } from '../harness/appliance.ts';
import { finished } from '../harness/jobs.ts';
import { ffmpegLoudness, readSide, soundFolder } from '../harness/sounds.ts';
import { postJson } from '../harness/text-models.ts';

const run = promisify(execFile);

let folder: string;
beforeAll(async () => {
  folder = await soundFolder();
});

/** Bursts at a quarter of the sample rate, whose samples miss the peaks of the wave by 3 dB, over a quieter tone. */
function betweenSamples(sampleRate: number): Float32Array {
  return Float32Array.from({ length: 3 * sampleRate }, (_, at) => {
    const isBurst = at % sampleRate < sampleRate / 200;
    const burst = isBurst ? 0.95 * Math.sin((Math.PI / 2) * at + Math.PI / 4) : 0;
    return burst + 0.2 * Math.sin((2 * Math.PI * 300 * at) / sampleRate);
  });
}

describe('the true peak', () => {
  test.each([16_000, 22_050, 24_000, 44_100, 48_000])(
    'at %s Hz is under the limit, as ffmpeg measures it',
    async (sampleRate) => {
      const name = `peaks-${sampleRate}`;
      const how = { folder, name, goal: { lufs: -14, truePeakDbtp: -1 }, title: 'Peaks', tempo: null, pause: () => {} };
      const channel = betweenSamples(sampleRate);
      const { analysis } = await finishSound({ channels: [channel, channel.map((one) => -one)], sampleRate }, how);
      const { peak } = await ffmpegLoudness(join(folder, `${name}.wav`));
      // Its samples alone stay under the limit before, and the wave does not.
      expect(peak).toBeLessThanOrEqual(-1);
      expect(peak).toBeGreaterThan(-2.5);
      expect(Math.abs(peak - (analysis.truePeakDbtp ?? 0))).toBeLessThan(0.3);
    },
  );
});

describe('a narration', () => {
  let appliance: Appliance;
  beforeAll(async () => {
    appliance = await startAppliance();
  });
  afterAll(() => appliance.close());

  async function make(body: object): Promise<AudioResult> {
    const answer = await appliance.owner('/v1/generate/audio', postJson(body));
    expect(answer.status).toBe(202);
    const job = await finished(appliance.owner, ((await answer.json()) as { jobId: string }).jobId);
    expect(job.error).toBeUndefined();
    return job.result as AudioResult;
  }

  async function save(url: string | undefined, name: string): Promise<string> {
    const path = join(folder, name);
    await writeFile(path, Buffer.from(await (await fetch(url ?? '')).arrayBuffer()));
    return path;
  }

  async function chaptersIn(path: string): Promise<{ title: string; start: number; end: number }[]> {
    const { stdout } = await run('ffprobe', ['-v', 'error', '-show_chapters', '-of', 'json', path]);
    const { chapters } = JSON.parse(stdout) as {
      chapters: { start_time: string; end_time: string; tags: { title: string } }[];
    };
    return chapters.map(({ tags, start_time, end_time }) => ({
      ...{ title: tags.title, start: Number(start_time), end: Number(end_time) },
    }));
  }

  test('lowers its background under the words, and brings it back in the pauses', async () => {
    const prompt = 'The tide turns at noon, and the boats begin to move. [pause 4s] Nobody gives a sign to anybody.';
    const { audio, captions } = await make({ prompt, voice: 'clara', background: 'rain', includeCaptions: true });
    // The voice is in the middle, so the difference of the channels is the rain alone.
    const { samples, sampleRate } = await readSide(await save(audio.wav.url, 'ducked.wav'));
    const srt = await (await fetch(captions?.srt ?? '')).text();
    const seconds = [...srt.matchAll(/00:00:(\d\d),(\d{3})/g)].map(
      ([, whole, part]) => Number(whole) + Number(part) / 1000,
    );
    const [first = 0, second = 0] = [seconds[0], seconds.at(-1)];
    const gap = seconds.findIndex((time, at) => at % 2 === 0 && at > 0 && time - (seconds[at - 1] ?? 0) > 3);
    const [silent = 0, again = 0] = [seconds[gap - 1], seconds[gap]];
    const level = (from: number, to: number) => {
      const part = samples.subarray(from * sampleRate, to * sampleRate);
      return 10 * Math.log10(part.reduce((sum, sample) => sum + sample * sample, 0) / part.length);
    };
    const paused = level(silent + 1.5, again - 0.5);
    for (const spoken of [level(first + 0.6, silent - 0.3), level(again + 0.3, second - 0.3)]) {
      expect(paused - spoken).toBeGreaterThan(8);
      expect(paused - spoken).toBeLessThan(14);
    }
  });

  test('has its headings as chapters in the .mp3 and the .m4b, with the times of the words', async () => {
    const prompt =
      '# Tides & moons\n\nThe tide turns at noon.\n\n# Größe\n\nThe boats begin to move.\n\n# End\n\nNobody is left.';
    const { audio, chapters, durationSeconds } = await make({ prompt, voice: 'clara', formats: ['m4b'] });
    expect(chapters.map(({ title }) => title)).toEqual(['Tides & moons', 'Größe', 'End']);
    for (const [name, url] of Object.entries({ 'chapters.mp3': audio.mp3.url, 'chapters.m4b': audio.m4b?.url })) {
      const found = await chaptersIn(await save(url, name));
      expect(found.map(({ title }) => title)).toEqual(chapters.map(({ title }) => title));
      for (const [index, { start, end }] of found.entries()) {
        expect(Math.abs(start - (chapters[index]?.startSeconds ?? 0))).toBeLessThan(0.05);
        expect(Math.abs(end - (chapters[index + 1]?.startSeconds ?? durationSeconds))).toBeLessThan(0.15);
      }
    }
  });

  test('is as long as its prompt states where the request does not', async () => {
    const made = [
      make({ prompt: 'two seconds of jazz' }),
      make({ prompt: '1 s of rain' }),
      make({ prompt: 'Wait 3 minutes.' }),
    ];
    const [music, rain, speech] = await Promise.all(made);
    expect([music, rain].map((one) => [one?.kind, one?.durationSeconds])).toEqual([
      ['music', 2],
      ['soundscape', 1],
    ]);
    expect(rain?.warnings).toEqual([]);
    expect(music?.warnings).toEqual([expect.stringContaining('synthesiser')]);
    expect(speech).toMatchObject({ kind: 'speech', warnings: [] });
  });
});
