import type { FreeDisk } from '../../src-server/platform/files/uploads.ts';
import { GIB } from '../../src-server/platform/units.ts';

/** A disk with room for every upload. */
export const plentyOfDisk: FreeDisk = async () => ({ freeBytes: 100 * GIB, totalBytes: 100 * GIB });
