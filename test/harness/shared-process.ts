/**
 * Test files share a process: what one of them changes of it and does not change back would fail another, later and
 * elsewhere. Here it fails the file that did it.
 */
import { afterAll, expect, vi } from 'vitest';

const stateOfProcess = () => ({
  folder: process.cwd(),
  variables: { ...process.env },
  hasFakeTimers: vi.isFakeTimers(),
});

const before = stateOfProcess();
afterAll(() => expect(stateOfProcess()).toEqual(before));
