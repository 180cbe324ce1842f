import { Anchor, Button, List, Stack } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { jobIdOf, type Sent } from '../api/pay-and-send.ts';
import { Code } from '../components/code.tsx';
import { Icon } from '../components/icon.tsx';
import { Panel } from '../components/parts.tsx';
import { texts } from '../texts.ts';

export type Step = 'asked' | 'signed' | 'settled';

/** What has been done of a payment, step by step. */
export function Steps({ steps }: { steps: readonly Step[] }) {
  if (steps.length === 0) return null;
  return (
    <List size="sm" icon={<Icon name="check" size={16} />} role="status">
      {steps.map((step) => (
        <List.Item key={step}>{texts.run.steps[step]}</List.Item>
      ))}
    </List>
  );
}

/** An answer that is still being written, or was stopped. */
export function LiveAnswer({ text, busy, onStop }: { text: string; busy: boolean; onStop: () => void }) {
  const stop = (
    <Button size="xs" variant="default" leftSection={<Icon name="stop" size={14} />} onClick={onStop}>
      {texts.run.stop}
    </Button>
  );
  return (
    <Panel title={texts.run.answer} aside={busy ? stop : <span>{texts.run.stopped}</span>}>
      <div className="chunk-text" aria-live="polite" aria-busy={busy}>
        {text}
      </div>
    </Panel>
  );
}

/** What the service answered at once. */
export function Answer({ sent }: { sent: Sent }) {
  const jobId = jobIdOf(sent.answer);
  const result = sent.answer.result as { content?: unknown } | null | undefined;
  return (
    <Panel
      title={texts.run.answer}
      aside={
        jobId !== null && (
          <Anchor size="sm" renderRoot={(props) => <Link {...props} to="/jobs/$jobId" params={{ jobId }} />}>
            {texts.run.open}
          </Anchor>
        )
      }
    >
      <Stack>
        {typeof result?.content === 'string' && <div className="chunk-text">{result.content}</div>}
        <Code value={JSON.stringify(sent.answer, null, 2)} label={texts.run.answer} />
      </Stack>
    </Panel>
  );
}
