/** The diarization error rate of turns against the true ones. */

export interface Turn {
  start: number;
  end: number;
  speaker: string;
  text?: string;
}

/** Seconds of speech, overlaps counted. */
export interface ErrorSeconds {
  missed: number;
  /** Speech where there is none. */
  wrong: number;
  confused: number;
  spoken: number;
}

const FRAME_SECONDS = 0.01;

/** With the assignment of speakers that has the least errors, and no tolerance at the edges of turns. */
export function errorSeconds(truth: readonly Turn[], found: readonly Turn[]): ErrorSeconds {
  const frames = Math.ceil(Math.max(...[...truth, ...found].map(({ end }) => end), 0) / FRAME_SECONDS);
  const [right, given] = [tracksOf(truth, frames), tracksOf(found, frames)];
  const together = right.map((track) => given.map((other) => track.filter((on, frame) => on && other[frame]).length));
  const matched = bestMatch(together);
  const errors = { missed: 0, wrong: 0, confused: 0, spoken: 0 };
  for (let frame = 0; frame < frames; frame += 1) {
    const [spoken, heard] = [right, given].map((tracks) => tracks.filter((track) => track[frame]).length) as [
      number,
      number,
    ];
    errors.spoken += spoken;
    errors.missed += Math.max(0, spoken - heard);
    errors.wrong += Math.max(0, heard - spoken);
    errors.confused += Math.min(spoken, heard);
  }
  errors.confused -= matched;
  for (const part of ['missed', 'wrong', 'confused', 'spoken'] as const) errors[part] *= FRAME_SECONDS;
  return errors;
}

function tracksOf(turns: readonly Turn[], frames: number): boolean[][] {
  const tracks = new Map<string, boolean[]>();
  for (const { start, end, speaker } of turns) {
    const track = tracks.get(speaker) ?? new Array<boolean>(frames).fill(false);
    track.fill(true, Math.round(start / FRAME_SECONDS), Math.round(end / FRAME_SECONDS));
    tracks.set(speaker, track);
  }
  return [...tracks.values()];
}

/** The largest sum of one entry per row, each in another column. */
function bestMatch(together: readonly (readonly number[])[]): number {
  let best = new Map<number, number>([[0, 0]]);
  for (const row of together) {
    const next = new Map(best);
    for (const [taken, sum] of best) {
      for (const [column, value] of row.entries()) {
        const bit = 2 ** column;
        if (Math.floor(taken / bit) % 2 === 1) continue;
        const key = taken + bit;
        next.set(key, Math.max(next.get(key) ?? 0, sum + value));
      }
    }
    best = next;
  }
  return Math.max(...best.values());
}
