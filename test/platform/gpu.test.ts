import { expect, test } from 'vitest';
import { findGpu, type GpuProbe } from '../../src-server/platform/process/gpu.ts';

const missing = () => Promise.reject(new Error('spawn nvidia-smi ENOENT'));

const probe = (given: Partial<GpuProbe>): GpuProbe => ({
  ...{ platform: 'linux', arch: 'x64', processor: () => 'Some CPU', nvidiaFiles: async () => [], nvidiaSmi: missing },
  ...given,
});

const information = (model: string) => `Model: \t\t ${model}\nIRQ:   \t\t 42\nGPU UUID: \t GPU-1\n`;

test.for<[string, Partial<GpuProbe>, string | null]>([
  ['nothing is known without a driver', {}, null],
  [
    'the driver’s files name it',
    { nvidiaFiles: async () => [information('NVIDIA GeForce RTX 5080')] },
    'NVIDIA GeForce RTX 5080',
  ],
  [
    'several are counted',
    { nvidiaFiles: async () => [information('NVIDIA A'), information('NVIDIA B')] },
    'NVIDIA A and 1 more',
  ],
  ['else nvidia-smi does', { platform: 'win32', nvidiaSmi: async () => 'NVIDIA T4\r\n' }, 'NVIDIA T4'],
  ['an odd file of the driver is no name', { nvidiaFiles: async () => ['IRQ: 42\n'] }, null],
  [
    'a Mac with Apple silicon has the one of its processor',
    { platform: 'darwin', arch: 'arm64', processor: () => 'Apple M2' },
    'Apple M2',
  ],
  ['another Mac is not asked', { platform: 'darwin', processor: () => 'Intel' }, null],
])('%s', async ([, given, name]) => {
  expect(await findGpu(probe(given))).toBe(name);
});

test('this machine is asked without an error', async () => {
  const found = await findGpu();
  expect(found === null || found.length > 0).toBe(true);
});
