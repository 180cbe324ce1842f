import { useMutation } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { useEnvironment } from '../../api/environment.tsx';
import type { OperationForm } from '../../api/operations.ts';
import type { Step } from './answer.tsx';
import { type Body, jobIdOf, payAndSend, type Sent, sendAsOwner } from './send.ts';
import { useWayToJob } from './use-way-to-job.ts';

export type Sender = 'owner' | 'customer';

/**
 * Sends what a form holds, tells each step and each piece of the answer, and goes on to the job that it became.
 * `before`: the last whole answer, which stays until there is another one.
 */
export function useSending(operation: OperationForm) {
  const environment = useEnvironment();
  const way = useWayToJob();
  const [steps, setSteps] = useState<Step[]>([]);
  const [text, setText] = useState('');
  const [before, setBefore] = useState<Sent | null>(null);
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
      // What is answered at once is shown here; work that goes on is shown where one can watch it.
      if (jobId !== null && status === 202) way.made(jobId);
    },
    onError: way.refused,
    onSettled: () => {
      stopping.current = null;
    },
  });
  const stopped = request.error instanceof DOMException && request.error.name === 'AbortError';
  return { request, steps, text, before, stopped, stop: () => stopping.current?.abort() };
}
