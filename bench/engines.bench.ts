/**
 * Both speech engines side by side on a model of exactly tiny.en's shape, through the API and by their own command
 * lines, one thread each: seconds of sound in a second. The weights are random but for what they say, which is the same
 * words for each window (`tiny-shape/weights.ts`): so both engines take the same steps, which is checked, and nothing
 * follows from it about how well they hear. What differs is theirs: whisper.cpp keeps five beams by default, here and
 * by itself, and sherpa-onnx takes the likeliest token. A row of its own shows whisper-cli without beams.
 */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { startApplianceProcess } from '../test/harness/appliance-process.ts';
import { descendantsOf } from '../test/harness/child-processes.ts';
import { submit, type TranscriptJob } from '../test/harness/speech.ts';
import { until } from '../test/harness/until.ts';
import { builtWhisperCli } from '../test/harness/whisper-cli.ts';
import { expectTarget, measured, median, printTable } from './figures.ts';
import { writeGgml } from './tiny-shape/ggml.ts';
import { writeOnnxFolder } from './tiny-shape/onnx.ts';
import { writeScript } from './tiny-shape/weights.ts';

const run = promisify(execFile);
const ROUNDS = 3;
const OVERHEAD_MAX = 1.05;
/** Each fills a window by itself, and the silence behind it parts it from the next. */
const WINDOWS = 5;
const PIECE_SECONDS = 28;
const SILENCE_SECONDS = 1;
const OUTPUT_BYTES = 10_000_000;
const WAIT_MS = 60_000;
const LOOK_MS = 250;
const MODEL = 'random-tiny.en';
const FIXTURES = fileURLToPath(new URL('../test/fixtures/models/', import.meta.url));
const LIKE_ONNX = join(FIXTURES, 'tiny-closed-vocab.en-onnx');
const LIKE_GGML = join(FIXTURES, 'tiny-closed-vocab.en.ggml.bin');

const folder = await mkdtemp(join(tmpdir(), 'quarry bench '));
const whisperCli = await builtWhisperCli();
process.env.QUARRY_WHISPER_CLI = whisperCli;
const server = await startApplianceProcess();
const models = join(server.dataDir, 'models');
const [onnxFolder, ggmlPath] = [join(models, `${MODEL}-onnx`), join(models, `${MODEL}.ggml.bin`)];

/** Noise that swells as speech does: one piece, and all of them as one file. */
async function makeSounds(): Promise<{ piece: string; whole: Buffer }> {
  const [piece, whole] = [join(folder, 'piece.wav'), join(folder, 'whole.wav')];
  const noise = `anoisesrc=d=${PIECE_SECONDS}:c=pink:a=0.5:seed=1:r=16000,tremolo=f=4:d=0.6`;
  const form = ['-ac', '1', '-ar', '16000', '-bitexact', '-y'];
  await run('ffmpeg', ['-v', 'error', '-nostdin', '-f', 'lavfi', '-i', noise, ...form, piece]);
  const parted = `apad=pad_dur=${SILENCE_SECONDS},aloop=loop=${WINDOWS - 1}:size=${(PIECE_SECONDS + 1) * 16_000}`;
  await run('ffmpeg', ['-v', 'error', '-nostdin', '-i', piece, '-af', parted, ...form, whole]);
  return { piece, whole: await readFile(whole) };
}

await mkdir(models, { recursive: true });
const script = await writeScript(LIKE_ONNX);
await writeGgml(ggmlPath, LIKE_GGML, script);
await writeOnnxFolder(onnxFolder, LIKE_ONNX, script);
const { piece, whole } = await makeSounds();
const pieces = Array.from({ length: WINDOWS }, () => piece);
const said = script.words.join(' ');

/** How often the words of the script were said. */
const timesSaid = (text: string) => text.replace(/\s+/g, ' ').split(said).length - 1;

/** Looks seldom: each look is CPU time of the server's too. */
async function ended(jobId: string): Promise<TranscriptJob> {
  for (;;) {
    const job = (await (await server.owner(`/v1/jobs/${jobId}`)).json()) as TranscriptJob;
    if (job.status === 'completed' || job.status === 'failed') return job;
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}

/** The guard against repetition leaves most windows out, and says how many. */
async function throughApi(model: string): Promise<number> {
  const options = { transcriptionModel: model, segmentLength: 900 };
  const answer = await submit(server, whole, 'whole.wav', options);
  if (answer.status !== 202) throw new Error(`${answer.status} ${await answer.text()}`);
  const { jobId } = (await answer.json()) as { jobId: string };
  const { result, error } = await ended(jobId);
  if (result === null) throw new Error(JSON.stringify(error));
  // The CPU time of a process counts once it has ended.
  await until(() => descendantsOf(server.pid).length === 0, WAIT_MS);
  const left = result.warnings.map((warning) => /(\d+) repetitions were left out/.exec(warning)?.[1] ?? '0');
  return timesSaid(result.segments.map(({ text }) => text).join(' ')) + left.reduce((sum, n) => sum + Number(n), 0);
}

async function alone(program: string, args: readonly string[]): Promise<number> {
  const { stdout } = await run(program, args, { maxBuffer: OUTPUT_BYTES });
  return timesSaid(stdout.replaceAll(/^\[.*?\]/gm, ' '));
}

const whisperArgs = ['-m', ggmlPath, '-l', 'en', '-t', '1', ...pieces.flatMap((path) => ['-f', path])];
const sherpaAlone = fileURLToPath(new URL('tiny-shape/sherpa-alone.ts', import.meta.url));
const subjects = {
  'sherpa-onnx, Quarry': () => measured(() => throughApi(`${MODEL}-onnx`), server.pid),
  'sherpa-onnx alone': () => measured(() => alone(process.execPath, [sherpaAlone, onnxFolder, ...pieces])),
  'whisper.cpp, Quarry': () => measured(() => throughApi(MODEL), server.pid),
  'whisper-cli alone': () => measured(() => alone(whisperCli, whisperArgs)),
  'whisper-cli -bs 1 alone': () => measured(() => alone(whisperCli, [...whisperArgs, '-bs', '1', '-bo', '1'])),
};
type Subject = keyof typeof subjects;
const names = Object.keys(subjects) as Subject[];
const runs = new Map(names.map((name) => [name, [] as Awaited<ReturnType<(typeof subjects)[Subject]>>[]]));

try {
  // In turns, so that whatever else the machine does meets all of them.
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const name of names) runs.get(name)?.push(await subjects[name]());
  }
  const seconds = WINDOWS * PIECE_SECONDS;
  const of = (name: Subject, what: 'seconds' | 'cpuSeconds') => median(runs.get(name)?.map((one) => one[what]) ?? []);
  printTable(
    names.map((name) => ({
      engine: name,
      'took, s': of(name, 'seconds'),
      'sound per second': seconds / of(name, 'seconds'),
      'CPU, s': of(name, 'cpuSeconds'),
      'sound per CPU second': seconds / of(name, 'cpuSeconds'),
    })),
  );
  const counts = names.flatMap((name) => runs.get(name)?.map(({ value }) => value) ?? []);
  const same = counts.every((count) => count === WINDOWS);
  expectTarget(`each said the ${script.words.length} words of each of the ${WINDOWS} windows, once (${counts})`, same);
  for (const [ours, bare] of [
    ['sherpa-onnx, Quarry', 'sherpa-onnx alone'],
    ['whisper.cpp, Quarry', 'whisper-cli alone'],
  ] as const) {
    const ratio = of(ours, 'seconds') / of(bare, 'seconds');
    const cpuRatio = of(ours, 'cpuSeconds') / of(bare, 'cpuSeconds');
    const shown = `${ratio.toFixed(2)} of its time, ${cpuRatio.toFixed(2)} of its CPU time`;
    expectTarget(`${ours}: at most ${OVERHEAD_MAX} of ${bare} (${shown})`, ratio <= OVERHEAD_MAX);
  }
} finally {
  await server[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
}
