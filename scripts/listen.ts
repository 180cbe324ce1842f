/**
 * `npm run listen [folder]`: a page with every built-in voice, scene and genre as the server renders them, for a human
 * ear. It writes the sounds and `index.html` to the folder; by default to a new temporary one.
 */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import genreData from '../resources/music/genres.json' with { type: 'json' };
import sceneData from '../resources/music/scenes.json' with { type: 'json' };
import { startServer } from '../src-server/app.ts';
import type { AudioResult, Voice } from '../src-server/features/audio/schema.ts';
import { systemClock } from '../src-server/platform/clock.ts';

const SENTENCE = 'On 3 May at 7:30, Dr. Smith paid $12.50 for 2 kg of apples. The tide turns at noon. Nobody waits!';
const SOUND_SECONDS = 10;
const POLL_MS = 200;

interface Item {
  title: string;
  body: object;
}

interface Section {
  title: string;
  listenFor: string;
  items: Item[];
}

const [given] = process.argv.slice(2);
const folder = given === undefined ? await mkdtemp(join(tmpdir(), 'quarry-listen-')) : resolve(given);
await mkdir(folder, { recursive: true });
const dataDir = await mkdtemp(join(tmpdir(), 'quarry-listen-data-'));
const server = await startServer({
  workerEntry: new URL('../workers/entry.ts', import.meta.url),
  resourcesFolder: new URL('../resources/', import.meta.url),
  ...{ rendererFolder: null, logLevel: 'fatal', clock: systemClock, dataDir },
});

async function call(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = { authorization: `Bearer ${server.ownerToken}`, 'content-type': 'application/json' };
  const answer = await fetch(new URL(path, server.url), { ...init, headers });
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
  return answer;
}

async function make(body: object): Promise<AudioResult> {
  const accepted = await call('/v1/generate/audio', { method: 'POST', body: JSON.stringify(body) });
  const { jobId } = (await accepted.json()) as { jobId: string };
  for (;;) {
    const job = (await (await call(`/v1/jobs/${jobId}`)).json()) as { status: string; result?: AudioResult };
    if (job.status === 'completed' && job.result !== undefined) return job.result;
    if (job.status === 'failed') throw new Error(`The job failed: ${JSON.stringify(body)}`);
    await new Promise((done) => setTimeout(done, POLL_MS));
  }
}

function sections(voices: readonly Voice[]): Section[] {
  const durationSeconds = SOUND_SECONDS;
  return [
    {
      title: 'Voices',
      listenFor: 'Every word clear? Numbers, times and sums read as a person would? Pauses where the stops are?',
      items: voices.map(({ slug, name }) => ({ title: name, body: { prompt: SENTENCE, voice: slug } })),
    },
    {
      title: 'Scenes',
      listenFor: 'Known without its title? Wide, without clicks, without a pattern that repeats?',
      items: sceneData.map(({ name }) => ({ title: name, body: { prompt: `the sound of ${name}`, durationSeconds } })),
    },
    {
      title: 'Genres',
      listenFor: 'The genre within two bars? A beginning and an end? Bass and drums under the melody, not over it?',
      items: genreData.genres.map(({ name }) => ({ title: name, body: { prompt: `${name} music`, durationSeconds } })),
    },
  ];
}

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

async function figureOf({ title, body }: Item, name: string): Promise<string> {
  const { audio, warnings } = await make(body);
  await writeFile(join(folder, name), Buffer.from(await (await call(audio.mp3.url)).arrayBuffer()));
  const notes = warnings.map((one) => `<small>${escaped(one)}</small>`).join('');
  const player = `<audio controls preload="none" src="${name}"></audio>`;
  return `<figure><figcaption>${escaped(title)}</figcaption>${player}${notes}</figure>`;
}

try {
  const voices = (await (await call('/v1/voices')).json()) as Voice[];
  const parts: string[] = [];
  for (const { title, listenFor, items } of sections(voices)) {
    parts.push(`<h2>${title}</h2><p>${listenFor}</p>`);
    for (const [index, item] of items.entries()) {
      process.stdout.write(`${title}: ${item.title}\n`);
      parts.push(await figureOf(item, `${title.toLowerCase()}-${index}.mp3`));
    }
  }
  const style = 'body{font:16px sans-serif;max-width:60em;margin:2em auto}figure{margin:.5em 0}small{display:block}';
  const head = `<meta charset="utf-8"><title>Listening page</title><style>${style}</style>`;
  await writeFile(join(folder, 'index.html'), `<!doctype html>${head}<h1>Listening page</h1>${parts.join('\n')}\n`);
  process.stdout.write(`${join(folder, 'index.html')}\n`);
} finally {
  await server.close();
  await rm(dataDir, { recursive: true, force: true });
}
