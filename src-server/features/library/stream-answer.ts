import type { Context } from 'hono';
import type { HttpEnv } from '../../platform/http/env.ts';
import { eventStream } from '../../platform/http/event-stream.ts';
import { problemOf, publicError } from '../../platform/http/problem.ts';
import type { AnswerParts, CitedWords, SearchAnswer } from '../search/schema.ts';

/** Sends the quotations of an answer while they are written, then the whole. The signal aborts when nobody listens. */
export function streamAnswer(
  context: Context<HttpEnv>,
  answer: (onCitation: (cited: CitedWords) => void, signal: AbortSignal) => Promise<AnswerParts>,
): Response {
  return eventStream(context, async (stream) => {
    const gone = new AbortController();
    stream.onAbort(() => gone.abort());
    const send = (event: string, data: unknown) => stream.writeSSE({ event, data: JSON.stringify(data) });
    try {
      const { warning, ...said } = await answer((cited) => void send('citation', cited), gone.signal);
      const whole: Pick<SearchAnswer, 'answer' | 'answerNeeds' | 'warnings'> = {
        ...said,
        warnings: warning === undefined ? [] : [warning],
      };
      await send('done', whole);
    } catch (error) {
      if (!gone.signal.aborted) await send('error', problemOf(publicError(error)));
    }
  });
}
