import { useMutation } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { useEnvironment } from '../../api/client.ts';
import type { OperationForm } from '../../api/operations.ts';
import type { Step } from './answer.tsx';
import type { Intent } from './intents.tsx';
import { type Body, jobIdOf, payAndSend, type Sent, sendAsOwner, useJobOpener } from './send.ts';
import { hasTakes } from './take.tsx';

export type Sender = 'owner' | 'customer';

/**
 * Sends a form, reports steps and streamed text, and opens the job, or names it as the `take`. `before`: the last
 * complete response, kept until the next one.
 */
export function useSending(operation: Pick<OperationForm, 'id' | 'streams'>, intent: Intent | undefined) {
  const environment = useEnvironment();
  const opener = useJobOpener();
  const [steps, setSteps] = useState<Step[]>([]);
  const [text, setText] = useState('');
  const [before, setBefore] = useState<Sent | null>(null);
  const [take, setTake] = useState<string | null>(null);
  const stopping = useRef<AbortController | null>(null);
  const request = useMutation({
    mutationFn: ({ sender, body }: { sender: Sender; body: Body }) => {
      setSteps([]);
      setText('');
      stopping.current = operation.streams ? new AbortController() : null;
      const listener = stopping.current && {
        onText: (more: string) => setText((before) => before + more),
        signal: stopping.current.signal,
      };
      if (sender === 'owner') return sendAsOwner(environment, operation.id, body, listener ?? undefined);
      const onStep = (step: Step) => setSteps((done) => [...done, step]);
      return payAndSend(environment, operation.id, body, onStep, listener ?? undefined);
    },
    onSuccess: (sent) => {
      setBefore(sent);
      const { answer, status } = sent;
      const jobId = jobIdOf(answer);
      if (jobId === null || status !== 202) return;
      // A short result is shown here. Other jobs have a page to watch.
      if (hasTakes(intent)) setTake(jobId);
      else opener.open(jobId);
    },
    onError: opener.fail,
    onSettled: () => {
      stopping.current = null;
    },
  });
  const stopped = request.error instanceof DOMException && request.error.name === 'AbortError';
  return { request, steps, text, before, stopped, take, stop: () => stopping.current?.abort() };
}
