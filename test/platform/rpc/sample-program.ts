/** What the tests of remote calls serve: in a thread and in a process of its own. */

import { QuarryError } from '../../../src-server/platform/errors.ts';
import { ownerLine } from '../../../src-server/platform/rpc/lines.ts';
import { type Callback, serveMethods, transferWithMessage } from '../../../src-server/platform/rpc/rpc.ts';
import { say } from '../../../src-server/platform/text/say.ts';

export interface Sample {
  double(samples: Float32Array): Float32Array;
  refuse(): never;
  crash(): never;
  /** Sends numbers until the signal aborts, each when the one before was taken. Returns how many. */
  count(onNumber: Callback<[number]>, signal: AbortSignal): Promise<number>;
  /** Sends so many numbers without waiting for the caller. */
  report(times: number, onNumber: Callback<[number]>): string;
  /** Sends so many numbers at once, and does not return. */
  flood(times: number, onNumber: Callback<[number]>): Promise<never>;
  /** How many calls of `hang` were aborted. */
  aborted(): number;
  hang(signal: AbortSignal): Promise<never>;
  die(): never;
  unsendable(): () => void;
  /** Length of a buffer that was moved, before and after. */
  move(buffer: ArrayBuffer): { lengths: number[]; moved: ArrayBuffer };
  kept(): number;
}

let aborted = 0;
let kept = new ArrayBuffer(0);

const sample: Sample = {
  double: (samples) => samples.map((one) => one * 2),
  refuse: () => {
    const fields = [{ path: 'options.size', message: say`It is too large.` }];
    throw new QuarryError('source_too_large', say`Send less.`, {
      cause: new Error('42 bytes'),
      retryable: true,
      fields,
    });
  },
  crash: () => {
    throw new TypeError('A slip of the pen.');
  },
  count: async (onNumber, signal) => {
    let sent = 0;
    for (; !signal.aborted; sent += 1) await onNumber(sent);
    return sent;
  },
  report: (times, onNumber) => {
    for (let number = 0; number < times; number += 1) void onNumber(number);
    return 'reported';
  },
  flood: (times, onNumber) => {
    for (let number = 0; number < times; number += 1) void onNumber(number);
    return new Promise(() => undefined);
  },
  aborted: () => aborted,
  hang: (signal) =>
    new Promise((_, reject) => {
      signal.addEventListener('abort', () => {
        aborted += 1;
        reject(new Error('Stopped.'));
      });
    }),
  die: () => process.exit(3),
  unsendable: () => () => undefined,
  move: (buffer) => {
    kept = new ArrayBuffer(8);
    return transferWithMessage({ lengths: [buffer.byteLength, kept.byteLength], moved: kept }, [kept]);
  },
  kept: () => kept.byteLength,
};

serveMethods(sample, ownerLine);
