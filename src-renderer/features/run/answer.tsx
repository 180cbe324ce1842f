import { Anchor, Button, List, Stack } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { recordOf } from '../../../src-server/platform/records.ts';
import { Code } from '../../components/code.tsx';
import { Icon } from '../../components/icon.tsx';
import { Panel } from '../../components/page-elements.tsx';
import { jobIdOf, type Sent } from './send.ts';
import { run as runTexts } from './texts.ts';

export type Step = 'asked' | 'signed' | 'settled';

/** The completed steps of a payment. */
export function Steps({ steps }: { steps: readonly Step[] }) {
  if (steps.length === 0) return null;
  return (
    <List size="sm" icon={<Icon name="check" size={16} />} role="status">
      {steps.map((step) => (
        <List.Item key={step}>{runTexts.steps[step]}</List.Item>
      ))}
    </List>
  );
}

interface LiveAnswerProps {
  text: string;
  state: 'busy' | 'stopped' | 'broken';
  onStop: () => void;
}

/** A response that is streaming, stopped or interrupted. */
export function LiveAnswer({ text, state, onStop }: LiveAnswerProps) {
  const busy = state === 'busy';
  const stop = (
    <Button size="xs" variant="default" leftSection={<Icon name="square" size={14} />} onClick={onStop}>
      {runTexts.stop}
    </Button>
  );
  return (
    <Panel title={runTexts.answer} aside={busy ? stop : <span>{runTexts.ended[state]}</span>}>
      <div className="chunk-text" aria-live="polite" aria-busy={busy}>
        {text}
      </div>
    </Panel>
  );
}

/** A response. `old`: of the previous request, while there is no newer one. `isPlain`: its words only. */
export function Answer({ sent, old, isPlain = false }: { sent: Sent; old: boolean; isPlain?: boolean }) {
  const jobId = jobIdOf(sent.answer);
  const result = recordOf(sent.answer.result);
  const title = old ? runTexts.answerBefore : runTexts.answer;
  return (
    <Panel
      title={title}
      aside={
        jobId !== null && (
          <Anchor size="sm" renderRoot={(props) => <Link {...props} to="/jobs/$jobId" params={{ jobId }} />}>
            {runTexts.open}
          </Anchor>
        )
      }
    >
      <Stack>
        {typeof result?.content === 'string' && <div className="chunk-text">{result.content}</div>}
        {!isPlain && <Code value={JSON.stringify(sent.answer, null, 2)} label={title} />}
      </Stack>
    </Panel>
  );
}
