/** The words of a recording while it goes on: short pieces are heard one by one. The transcript decides later. */
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { serverPath } from '../../api/base-path.ts';
import { ApiError, requestJson } from '../../api/client.ts';
import { needsQuery } from '../../api/queries.ts';

/** A piece is a sentence or two. While the one before it is heard, it grows. */
const PIECE_MS = 6000;

const TRY_AGAIN_MS = 2000;

const MAX_TRIES = 30;

interface HeardWords {
  text: string;
}

/** The words of a recording. Waits while other pieces are heard, a minute at most. Rejects with ApiError. */
export async function wordsOf(sound: Blob): Promise<string> {
  for (let tries = 1; ; tries++) {
    try {
      return await hearOnce(sound);
    } catch (error) {
      const mustWait = error instanceof ApiError && error.problem.code === 'rate_limited' && tries < MAX_TRIES;
      if (!mustWait) throw error;
      await new Promise((resolve) => setTimeout(resolve, TRY_AGAIN_MS));
    }
  }
}

async function hearOnce(sound: Blob, signal?: AbortSignal): Promise<string> {
  const headers = { 'Content-Type': sound.type.split(';')[0] ?? '' };
  const question = { method: 'POST', headers, body: sound, signal };
  return (await requestJson<HeardWords>(serverPath('/admin/dictation'), question)).text;
}

/** Whether a model that listens is installed. */
export function useHearing(): boolean {
  const needs = useQuery(needsQuery());
  return needs.data?.needs.some(({ need, ready }) => need === 'speech' && ready) ?? false;
}

/** What was said into a stream until now; empty while there is none. */
export function useLiveWords(stream: MediaStream | null, type: string): string {
  const [words, setWords] = useState('');
  useEffect(() => {
    if (stream === null) return;
    setWords('');
    const listening = new AbortController();
    void listenInPieces(stream, type, listening.signal, (text) =>
      setWords((before) => [before, text].filter((part) => part !== '').join(' ')),
    );
    return () => listening.abort();
  }, [stream, type]);
  return stream === null ? '' : words;
}

async function listenInPieces(
  stream: MediaStream,
  type: string,
  signal: AbortSignal,
  onWords: (text: string) => void,
): Promise<void> {
  let hearing: Promise<void> = Promise.resolve();
  while (!signal.aborted && stream.active) {
    const piece = await recordPiece(stream, type, signal, hearing);
    // At the end the whole recording is heard, and nothing beside it.
    if (signal.aborted || !stream.active || piece.size === 0) return;
    hearing = hearOnce(piece, signal).then(
      (text) => {
        if (!signal.aborted) onWords(text);
      },
      (error: unknown) => {
        // A piece that is not heard is missing here alone: the recording has it.
        if (!(error instanceof ApiError || signal.aborted)) throw error;
      },
    );
  }
}

/** A recording of its own, so that it can be read without what was before. It ends once the last one was heard. */
function recordPiece(stream: MediaStream, mimeType: string, signal: AbortSignal, until: Promise<void>): Promise<Blob> {
  return new Promise((resolve) => {
    const recorder = new MediaRecorder(stream, { mimeType });
    const parts: Blob[] = [];
    const stop = () => {
      if (recorder.state !== 'inactive') recorder.stop();
    };
    recorder.ondataavailable = ({ data }) => parts.push(data);
    recorder.onstop = () => {
      signal.removeEventListener('abort', stop);
      resolve(new Blob(parts, { type: mimeType }));
    };
    signal.addEventListener('abort', stop);
    recorder.start();
    setTimeout(() => void until.finally(stop), PIECE_MS);
  });
}
