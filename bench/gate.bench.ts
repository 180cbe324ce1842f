/**
 * `npm run bench -- gate [commit or folder]`: figures of this tree and of a commit (by default `main`), both as built,
 * in turns A B A B. Fails with 1 if a figure of this tree is more than 3 % above the commit's. On a machine that does
 * other work it does not judge, and ends with 3. The commit gets a worktree of its own for the time; a folder with
 * packages is used as it is.
 *
 * `QUARRY_GATE=docx,start` measures these groups alone, also on a loaded machine, and judges nothing;
 * `QUARRY_GATE_ROUNDS` is how often.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ApplianceProcess } from '../test/harness/appliance-process.ts';
import { printTable } from './figures.ts';
import { GROUPS, type Inputs, makeInputs, measureStart, startServer } from './gate-figures.ts';
import { OthersWatch } from './gate-processes.ts';
import { canJudge, compareSamples, type FigureName, type Row, type Samples, tableOf } from './gate-table.ts';
import { openThisTree, openTree, type Tree } from './gate-tree.ts';

const ROUNDS = 3;
/** More of them if something seems to have grown: the least sample of each tree counts. */
const ROUNDS_MORE = 2;
const STARTS = 3;
const LOOK_MS = 2000;
const CANNOT_JUDGE = 3;
const START = 'start';

interface Subject {
  tree: Tree;
  samples: Samples;
}

const say = (line: string) => process.stdout.write(`${line}\n`);
const groupNames = [START, ...Object.keys(GROUPS)];
const [commit = 'main'] = process.argv.slice(2);
const chosen = process.env.QUARRY_GATE?.split(',');
const rounds = Number(process.env.QUARRY_GATE_ROUNDS ?? ROUNDS);

process.exitCode = await run();

async function run(): Promise<number> {
  const unknown = (chosen ?? []).filter((name) => !groupNames.includes(name));
  if (unknown.length > 0)
    throw new Error(`No such figures: ${unknown.join(', ')}. There are: ${groupNames.join(', ')}.`);
  if (process.platform !== 'linux') return refuse('CPU of processes is read as Linux tells it.');
  if (chosen === undefined && (await isLoaded())) return CANNOT_JUDGE;
  using other = openTree(commit);
  using own = openThisTree();
  const subjects: Subject[] = [other, own].map((tree) => ({ tree, samples: {} }));
  using inputs = makeInputs();
  const watch = new OthersWatch();
  const startedAt = performance.now();
  for (let round = 0; round < rounds; round += 1) await measureRound(subjects, round, inputs);
  for (let more = 0; chosen === undefined && more < ROUNDS_MORE && hasGrown(subjects); more += 1) {
    await measureRound(subjects, rounds + more, inputs);
  }
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  return conclude(subjects, watch.cores, seconds);
}

function rowsOf([before, now]: Subject[]): Row[] {
  return compareSamples(before?.samples ?? {}, now?.samples ?? {});
}

function hasGrown(subjects: Subject[]): boolean {
  return rowsOf(subjects).some(({ grew }) => grew);
}

function conclude(subjects: Subject[], othersCores: number, seconds: number): number {
  const judges = chosen === undefined && canJudge(othersCores);
  const rows = rowsOf(subjects);
  printTable(tableOf(rows, subjects[0]?.tree.name ?? '', judges));
  say(`${seconds} s, other processes used ${othersCores.toFixed(2)} cores`);
  if (chosen !== undefined) return 0;
  if (!judges) return refuse('Other processes used the cores: the table says nothing.');
  const grown = rows.filter(({ grew }) => grew).length;
  say(grown === 0 ? 'Nothing grew by more than 3 %.' : `${grown} figures grew by more than 3 %.`);
  return grown === 0 ? 0 : 1;
}

async function isLoaded(): Promise<boolean> {
  const watch = new OthersWatch();
  await sleep(LOOK_MS);
  if (canJudge(watch.cores)) return false;
  refuse(`Other processes use ${watch.cores.toFixed(2)} cores. End them, or name figures in QUARRY_GATE.`);
  return true;
}

function refuse(reason: string): number {
  process.stderr.write(`The gate cannot judge. ${reason}\n`);
  return CANNOT_JUDGE;
}

/** Both in turns, group by group; who goes first changes with the round. */
async function measureRound(subjects: Subject[], round: number, inputs: Inputs): Promise<void> {
  const turns = round % 2 === 0 ? subjects : subjects.toReversed();
  const isChosen = (name: string) => chosen?.includes(name) ?? true;
  for (let start = 0; isChosen(START) && start < STARTS; start += 1) {
    for (const { tree, samples } of turns) addSamples(samples, await measureStart(tree.entry));
  }
  const groups = Object.keys(GROUPS).filter(isChosen);
  if (groups.length === 0) return;
  const servers = new Map<Subject, ApplianceProcess>();
  try {
    for (const subject of turns) servers.set(subject, await startServer(subject.tree.entry));
    for (const group of groups) {
      for (const [{ samples }, server] of servers) addSamples(samples, (await GROUPS[group]?.(server, inputs)) ?? {});
    }
  } finally {
    for (const server of servers.values()) await server[Symbol.asyncDispose]();
  }
}

function addSamples(samples: Samples, figures: Partial<Record<FigureName, number>>): void {
  for (const [name, value] of Object.entries(figures) as [FigureName, number][]) {
    const earlier = samples[name] ?? [];
    samples[name] = [...earlier, value];
  }
}
