import type { TaskFunction } from '../../tasks.ts';
import { finishSound } from '../finish-sound.ts';
import { compose } from './compose.ts';
import { renderPiece } from './render-piece.ts';

/** Share of the work that playing is; the rest is levelling and encoding. */
const PLAYING_PERCENT = 50;

/** Composes from the prompt and plays: the same request gives the same bytes. */
export const renderMusic: TaskFunction<'render-music'> = async (input, context) => {
  const piece = compose(input);
  const sound = renderPiece(piece, {
    seconds: Math.min(input.renderSeconds, input.durationSeconds),
    complete: input.renderSeconds >= input.durationSeconds,
    progress: (share) => {
      context.progress(share * PLAYING_PERCENT, 'playing', 'Playing the piece');
      context.signal.throwIfAborted();
    },
  });
  context.progress(PLAYING_PERCENT, 'levelling', 'Levelling and encoding');
  const finished = await finishSound(sound, {
    folder: input.outputFolder,
    name: input.fileName,
    goal: input.goal,
    title: input.title,
    tempo: piece.tempo,
    pause: () => context.signal.throwIfAborted(),
  });
  return { ...finished, music: piece.facts };
};
