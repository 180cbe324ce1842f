import cliProgress from 'cli-progress';
import type { SeenJob } from './follow.ts';

/** Progress of several jobs, on the terminal of standard error. Without a terminal it shows nothing. */
export interface Bars {
  add(name: string): Bar;
  /** Removes the bars. */
  stop(): void;
}

export interface Bar {
  show(job: SeenJob): void;
  end(): void;
}

const NAME_CHARS = 32;

/** Of a narrow terminal. A wide one has room for the rest of the sentence. */
const STAGE_CHARS = 40;

/** Columns of the name, the bar and the percentage. */
const OTHER_CHARS = 66;

const SILENT: Bars = { add: () => ({ show: () => {}, end: () => {} }), stop: () => {} };

export function progressBars(stream: NodeJS.WriteStream): Bars {
  if (stream.isTTY !== true) return SILENT;
  const bars = new cliProgress.MultiBar({
    stream,
    hideCursor: true,
    clearOnComplete: true,
    barsize: 24,
    format: (options, { progress }, { name, stage }: { name: string; stage: string }) => {
      const bar = cliProgress.Format.BarFormat(progress, options);
      return `${name.padEnd(NAME_CHARS)} ${bar} ${String(Math.round(progress * 100)).padStart(3)} %  ${stage}`;
    },
  });
  return {
    add: (name) => {
      const short = name.length > NAME_CHARS ? `…${name.slice(1 - NAME_CHARS)}` : name;
      const bar = bars.create(100, 0, { name: short, stage: 'Sending' });
      return {
        show: ({ progress, status, etaSeconds }) => {
          const left = status === 'processing' && etaSeconds !== undefined ? `, about ${etaSeconds} s left` : '';
          const stage = `${progress?.message || status}${left}`.slice(
            0,
            Math.max(STAGE_CHARS, (stream.columns ?? 0) - OTHER_CHARS),
          );
          bar.update(progress?.percent ?? 0, { name: short, stage });
        },
        end: () => void bars.remove(bar),
      };
    },
    stop: () => bars.stop(),
  };
}
