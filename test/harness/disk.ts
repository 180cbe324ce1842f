import { GIB } from '../../src-server/lib/units.ts';
import type { FreeDisk } from '../../src-server/sources/uploads.ts';

/** A disk with room for every upload. */
export const plentyOfDisk: FreeDisk = async () => ({ freeBytes: 100 * GIB, totalBytes: 100 * GIB });
