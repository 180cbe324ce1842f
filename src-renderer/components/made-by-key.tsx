import { Button, Text } from '@mantine/core';
import { serverText } from '../language/server-texts.ts';
import { texts } from '../texts.ts';
import { type Fact, Need, Rows } from './page-elements.tsx';

/** What names the key that made it, and says why it pauses when that key has ended. */
interface MadeByKey {
  keyName?: string | undefined;
  notice?: string | undefined;
}

const t = texts.madeByKey;

/** Whether it pauses because its key ended: the owner can take it over. */
export function isPausedByKeyEnd({ keyName, notice }: MadeByKey): boolean {
  return keyName !== undefined && notice !== undefined;
}

/** The name of the button that lets it go on. */
export function resumeName(made: MadeByKey, resume: string): string {
  return isPausedByKeyEnd(made) ? t.takeOver : resume;
}

/** For the head of its page. */
export function keyFacts({ keyName }: MadeByKey): Fact[] {
  return keyName === undefined ? [] : [{ said: t.by({ key: keyName }) }];
}

/** For its row in a list: which key made it, and why it pauses. */
export function KeyWords({ made }: { made: MadeByKey }) {
  const { keyName, notice } = made;
  if (keyName === undefined) return null;
  return (
    <>
      <Text size="xs" c="dimmed">
        {t.by({ key: keyName })}
      </Text>
      {isPausedByKeyEnd(made) && (
        <Text size="sm" c="var(--q-wait)">
          {notice}
        </Text>
      )}
    </>
  );
}

interface KeyEndedProps {
  made: MadeByKey;
  /** Lets it go on as the owner's. */
  takeOver: { isPending: boolean; mutate(): void };
  remove: { name: string; onClick(): void };
}

/** On its page, while it pauses because its key ended: why, and the two ways out. */
export function KeyEnded({ made, takeOver, remove }: KeyEndedProps) {
  if (!isPausedByKeyEnd(made)) return null;
  return (
    <Rows label={t.ended}>
      <Need tone="wait" icon="key-round" title={t.ended} why={serverText(made.notice ?? '')}>
        <Button size="compact-sm" variant="default" loading={takeOver.isPending} onClick={() => takeOver.mutate()}>
          {t.takeOver}
        </Button>
        <Button size="compact-sm" variant="default" c="var(--q-bad)" onClick={remove.onClick}>
          {remove.name}
        </Button>
      </Need>
    </Rows>
  );
}
