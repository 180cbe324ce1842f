/**
 * Runs calls of the program that decodes media (`workers/media/media-program.ts`). Threats: files that make FFmpeg's
 * libraries abort, run forever or fill the memory. Each call has a process of its own with a limit of its work,
 * which ends on cancel and with the server.
 */

import type { MediaProgram } from '../../../workers/media/tasks.ts';
import { QuarryError } from '../../platform/errors.ts';
import { type LimitReached, limitPhrase, limitWork } from '../../platform/process/work-limit.ts';
import type { StartChildProgram } from '../../platform/rpc/child-process.ts';
import { connectPeer, type Remote } from '../../platform/rpc/rpc.ts';
import { say } from '../../platform/text/say.ts';
import { MINUTE_MS } from '../../platform/units.ts';

const VERSION_LIMIT_MS = MINUTE_MS;

interface CallLimits {
  signal: AbortSignal;
  /** CPU time of the program. */
  timeLimitMs: number;
  /** What the call does, for the message when it exceeds a limit: `Reading the sound`. */
  what: string;
}

export interface MediaReader {
  /** Version of FFmpeg's libraries. Errors: `engine_unavailable` when they do not load on this machine. */
  version(): Promise<string>;
  /**
   * Runs one call. Errors: those of the program, `engine_failed` when the program ends, `out_of_memory`, `timeout`, and
   * the signal's reason. In all cases the process has ended.
   */
  use<Value>(call: (program: Remote<MediaProgram>) => Promise<Value>, limits: CallLimits): Promise<Value>;
}

export function createMediaReader(start: StartChildProgram): MediaReader {
  let version: Promise<string> | null = null;
  const runMediaProgram: MediaReader['use'] = async (call, { signal, timeLimitMs, what }) => {
    let late: QuarryError | null = null;
    const program = connectPeer<MediaProgram>((listeners) => start('media', listeners), {
      signal,
      ended: (cause) => late ?? programEnded(cause),
      failed: programFailed,
    });
    const limit = limitWork({
      cpuLimitMs: timeLimitMs,
      cpuMs: program.cpuMs,
      onLimit: (reached) => {
        late = mediaReadTookTooLong(what, reached);
        program.end();
      },
    });
    try {
      return await call(program.remote);
    } finally {
      limit.end();
      program.end();
      await program.ended;
    }
  };
  return {
    use: runMediaProgram,
    version() {
      const limits = { signal: new AbortController().signal, timeLimitMs: VERSION_LIMIT_MS, what: 'Loading FFmpeg' };
      version ??= runMediaProgram((program) => program.version(), limits).catch((cause: unknown) => {
        // Do not cache a failure: the package may be installed before the next job.
        version = null;
        const message = say`The FFmpeg libraries do not load on this machine. Run: node scripts/setup.mjs`;
        throw new QuarryError('engine_unavailable', message, { cause });
      });
      return version;
    },
  };
}

function mediaReadTookTooLong(what: string, reached: LimitReached): QuarryError {
  const isStuck = reached.kind === 'standstill';
  const stopped = limitPhrase(reached);
  const message = isStuck
    ? say`${what} was stopped: ${stopped}. Try again.`
    : say`${what} was stopped: ${stopped}. Send a simpler file.`;
  return new QuarryError('timeout', message, { retryable: isStuck });
}

function programEnded(cause: unknown): QuarryError {
  if (/out of memory|bad_alloc/i.test(String(cause))) {
    const message = say`Reading the file exceeded the memory limit. Send a version with smaller pictures.`;
    return new QuarryError('out_of_memory', message, { cause });
  }
  return programFailed(cause);
}

function programFailed(cause: unknown): QuarryError {
  const message = say`The program that reads media files failed on this file. Send it in another format, such as MP4.`;
  return new QuarryError('engine_failed', message, { cause });
}
