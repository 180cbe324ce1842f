import { Button, Group, TextInput } from '@mantine/core';
import { Copy } from '../../components/copy.tsx';
import { webhooks as webhooksTexts } from './texts.ts';

const SECRET_BYTES = 24;

function newSecret(): string {
  const random = crypto.getRandomValues(new Uint8Array(SECRET_BYTES));
  return `whsec_${btoa(String.fromCharCode(...random))}`;
}

interface SecretFieldProps {
  secret: string;
  setSecret: (secret: string) => void;
  error: string | undefined;
  label?: string;
  hint?: string;
  required?: boolean;
}

/** A secret field with generate and copy buttons. */
export function SecretField({ secret, setSecret, error, label, hint, required = false }: SecretFieldProps) {
  const t = webhooksTexts;
  return (
    <Group align="flex-end">
      <TextInput
        flex={1}
        label={label ?? t.secret}
        description={hint ?? t.secretHint}
        required={required}
        value={secret}
        error={error}
        rightSection={secret !== '' && <Copy value={secret} label={t.secret.toLowerCase()} />}
        autoComplete="off"
        onChange={(event) => setSecret(event.currentTarget.value)}
        {...(required ? { 'data-autofocus': true } : {})}
      />
      <Button variant="default" onClick={() => setSecret(newSecret())}>
        {t.makeSecret}
      </Button>
    </Group>
  );
}
