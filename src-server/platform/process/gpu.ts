/** The graphics processor of this machine, as its driver names it. */

import { readdir, readFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { SECOND_MS } from '../units.ts';
import { askTool } from './run-tool.ts';

const PROBE_LIMIT_MS = 5 * SECOND_MS;

const NAME_CHARS_MAX = 200;

/** The driver of NVIDIA on Linux has a folder for each processor. */
const NVIDIA_FOLDER = '/proc/driver/nvidia/gpus';

/** What finding it may ask. */
export interface GpuProbe {
  platform: NodeJS.Platform;
  arch: string;
  /** Name of the main processor. */
  processor(): string;
  /** Contents of the files `information` of the driver; empty where there is none. */
  nvidiaFiles(): Promise<string[]>;
  /** Output of nvidia-smi. Rejects where it is missing. */
  nvidiaSmi(): Promise<string>;
}

/**
 * Its name, such as `NVIDIA GeForce RTX 5080` or `Apple M2`; null where none is known. Found are processors with the
 * driver of NVIDIA, and those of Macs with Apple silicon. That there is one does not say that an engine uses it.
 */
export async function findGpu(probe: GpuProbe = systemProbe()): Promise<string | null> {
  if (probe.platform === 'darwin') return probe.arch === 'arm64' ? summarizeGpuNames([probe.processor()]) : null;
  const stated = (await probe.nvidiaFiles()).map((text) => /^Model:\s*(.+)$/m.exec(text)?.[1] ?? '');
  const found = summarizeGpuNames(stated);
  if (found !== null) return found;
  const listed = await probe.nvidiaSmi().catch(() => '');
  return summarizeGpuNames(listed.split(/\r?\n/));
}

/** The first name, and how many others there are. */
function summarizeGpuNames(names: readonly string[]): string | null {
  const known = names.map((name) => name.trim().slice(0, NAME_CHARS_MAX - 20)).filter((name) => name !== '');
  const [first] = known;
  if (first === undefined) return null;
  return known.length === 1 ? first : `${first} and ${known.length - 1} more`;
}

function systemProbe(): GpuProbe {
  const { platform, arch } = process;
  return {
    platform,
    arch,
    processor: () => cpus()[0]?.model ?? '',
    nvidiaFiles: async () => {
      const folders = await readdir(NVIDIA_FOLDER).catch(() => []);
      const readGpuInformation = (folder: string) =>
        readFile(join(NVIDIA_FOLDER, folder, 'information'), 'utf8').catch(() => '');
      return Promise.all(folders.map(readGpuInformation));
    },
    nvidiaSmi: () => askTool('nvidia-smi', ['--query-gpu=name', '--format=csv,noheader'], PROBE_LIMIT_MS),
  };
}
