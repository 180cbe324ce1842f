import { Stack, Text } from '@mantine/core';
import type { SignatureExplanation, WebhookExplanation } from '../../api/generated/owner.ts';
import { Code } from '../../components/code.tsx';
import { State, type Tone } from '../../components/state.tsx';
import { webhooks as webhooksTexts } from './texts.ts';

const TONES: Record<WebhookExplanation['verdict'], Tone> = {
  valid: 'good',
  invalid: 'bad',
  missing: 'warn',
  unsigned: 'idle',
};

export function VerdictState({ verdict }: { verdict: WebhookExplanation['verdict'] }) {
  return <State tone={TONES[verdict]}>{webhooksTexts.verdicts[verdict]}</State>;
}

/** Both signatures of a request, step by step. */
export function ExplainedView({ explanation }: { explanation: WebhookExplanation }) {
  return (
    <Stack gap="md">
      <One title={webhooksTexts.payloadSignature} signature={explanation.payload} />
      <One title={webhooksTexts.standardSignature} signature={explanation.standard} />
    </Stack>
  );
}

function One({ title, signature }: { title: string; signature: SignatureExplanation }) {
  const t = webhooksTexts;
  const { expected, received, stringToSign, keyEncoding } = signature;
  const lines = [
    ...(keyEncoding === null ? [] : [`${t.keyEncoding}: ${keyEncoding}`]),
    ...(expected === null
      ? []
      : [`${t.expected}: ${expected.hex}`, `${' '.repeat(t.expected.length)}  ${expected.base64}`]),
    ...received.map((value) => `${t.received}: ${value}`),
  ];
  return (
    <Stack gap={6}>
      <Text size="sm" fw={550}>
        {title}
      </Text>
      <VerdictState verdict={signature.verdict} />
      <Text size="sm">{signature.reason}</Text>
      {lines.length > 0 && <Code value={lines.join('\n')} label={`${title}: ${t.expected}`} />}
      {stringToSign !== null && <Code value={stringToSign} label={`${title}: ${t.stringToSign}`} maxHeight={160} />}
    </Stack>
  );
}
