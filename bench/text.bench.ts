/**
 * Tokens per second and time to the first token through the product's child process, beside the same engine called in
 * this process with nothing around it.
 *
 *     npm run bench text
 */
import { join } from 'node:path';
import { getLlama, LlamaCompletion } from 'node-llama-cpp';
import { TextModelProcess } from '../src-server/features/text/model-process.ts';
import { forkChildPrograms } from '../src-server/platform/rpc/child-process.ts';

const MODEL = process.env.QUARRY_BENCH_MODEL ?? join(import.meta.dirname, '../test/fixtures/models/stories260K.gguf');
const START = forkChildPrograms(new URL('../workers/entry.ts', import.meta.url));
const ROUNDS = 5;
const MAX_TOKENS = 400;
const PROMPT = 'Once upon a time';

async function main(): Promise<void> {
  await throughChild();
  await bare();
}

async function throughChild(): Promise<void> {
  const model = new TextModelProcess(START, MODEL, { threads: 1 });
  const loadedAt = performance.now();
  await model.contextTokens();
  process.stdout.write(`process started and model loaded: ${Math.round(performance.now() - loadedAt)} ms\n`);
  const never = new AbortController().signal;
  for (let round = 0; round < ROUNDS; round += 1) {
    const startedAt = performance.now();
    let firstMs = 0;
    const call = { prompt: PROMPT, maxTokens: MAX_TOKENS, temperature: 0, seed: 1 };
    const { completionTokens } = await model.generateAnswer(
      call,
      () => {
        if (firstMs === 0) firstMs = performance.now() - startedAt;
      },
      never,
    );
    say('in the child process', completionTokens, startedAt, firstMs);
  }
  model.endTextProcess();
}

async function bare(): Promise<void> {
  const llama = await getLlama({ gpu: 'auto', build: 'never', skipDownload: true, progressLogs: false });
  const model = await llama.loadModel({ modelPath: MODEL });
  const context = await model.createContext({ contextSize: 512, threads: 1 });
  const sequence = context.getSequence();
  const completion = new LlamaCompletion({ contextSequence: sequence });
  for (let round = 0; round < ROUNDS; round += 1) {
    await sequence.clearHistory();
    const startedAt = performance.now();
    let firstMs = 0;
    let tokens = 0;
    await completion.generateCompletion(PROMPT, {
      maxTokens: MAX_TOKENS,
      temperature: 0,
      onToken: (more) => {
        if (tokens === 0) firstMs = performance.now() - startedAt;
        tokens += more.length;
      },
    });
    say('the engine alone', tokens, startedAt, firstMs);
  }
  await llama.dispose();
}

function say(name: string, tokens: number, startedAt: number, firstMs: number): void {
  const perSecond = (tokens * 1000) / (performance.now() - startedAt);
  process.stdout.write(`${name}: ${perSecond.toFixed(0)} tokens/s, first after ${firstMs.toFixed(1)} ms\n`);
}

await main();
