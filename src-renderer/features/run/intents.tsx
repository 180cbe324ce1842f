import { Anchor } from '@mantine/core';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { OperationForm } from '../../api/operations.ts';
import { KindTile } from '../../components/kind.tsx';
import { INTENTS, operationOf, tileOf, workOfKind, workOfOperation } from '../../components/work.ts';
import { run as runTexts } from './texts.ts';

export type Intent = (typeof INTENTS)[number];

/** The fields that matter first, by intent. A file or address comes before them. */
const MAIN_FIELDS: Readonly<Record<Intent, readonly string[]>> = {
  read: ['sourceName'],
  transcribe: ['sourceName'],
  crawl: ['url', 'depth', 'render'],
  speak: ['prompt', 'voice'],
  compose: ['prompt', 'durationSeconds'],
  write: ['prompt', 'model'],
  search: ['query', 'limit'],
};

/** Fields of the other intents of an operation. They change nothing here. */
const OTHERS_FIELDS: Partial<Record<Intent, readonly string[]>> = {
  speak: ['tempo', 'stems', 'seamless', 'sampleRate'],
  compose: ['voice', 'voices', 'speed', 'language', 'includeCaptions', 'background'],
};

/** What is shown as the same call while the form is empty, where the operation's example is of another intent. */
const EXAMPLES: Partial<Record<Intent, Record<string, unknown>>> = {
  compose: { prompt: 'Calm piano with soft rain', durationSeconds: 40 },
};

const route = getRouteApi('/service/api/$');

/** The intent that the address names. Speaking and composing are the same operation. */
export function useIntent(operationId: string | undefined): Intent | undefined {
  const { intent } = (route.useSearch({ shouldThrow: false } as never) as { intent?: 'compose' } | undefined) ?? {};
  if (intent !== undefined && operationOf(intent) === operationId) return intent;
  return INTENTS.find((one) => operationOf(one) === operationId);
}

/** Whether a field is shown before More options. An operation without a tile shows all. */
export function isMainField(name: string, intent: Intent | undefined): boolean {
  return intent === undefined || MAIN_FIELDS[intent].includes(name);
}

/** Whether a field belongs to another intent of the same operation. */
export function isOthersField(name: string, intent: Intent | undefined): boolean {
  return intent !== undefined && OTHERS_FIELDS[intent]?.includes(name) === true;
}

export function operationExample({ example }: OperationForm, intent: Intent | undefined): Record<string, unknown> {
  return (intent && EXAMPLES[intent]) ?? example;
}

interface IntentsProps {
  operations: readonly OperationForm[];
  chosen: Intent | undefined;
  chosenId: string;
}

/** What to run, as tiles; operations without a tile below them. */
export function Intents({ operations, chosen, chosenId }: IntentsProps): ReactNode {
  const tiled = INTENTS.map(operationOf);
  const others = operations.filter(({ id }) => !tiled.includes(id));
  const shown = INTENTS.filter((one) => operations.some(({ id }) => id === operationOf(one)));
  return (
    <nav aria-label={runTexts.operations}>
      <div className="intents">
        {shown.map((one) => (
          <Link
            key={one}
            to="/service/api/$"
            params={{ _splat: operationOf(one) }}
            search={one === 'compose' ? { intent: one } : {}}
            className={`intent k-${one}`}
            activeProps={{}}
            activeOptions={{ exact: true }}
            {...(one === chosen ? { 'aria-current': 'page' as const } : { 'aria-current': undefined })}
          >
            <KindTile work={workOfKind(one)} />
            <span className="label">{tileOf(one).label}</span>
            <span className="small dim">{tileOf(one).about}</span>
          </Link>
        ))}
      </div>
      {others.length > 0 && (
        <p className="small dim intents-more">
          {runTexts.also}{' '}
          {others.map(({ id }) => (
            <Anchor
              key={id}
              size="sm"
              {...(id === chosenId ? { 'aria-current': 'page' as const } : {})}
              renderRoot={(props) => <Link {...props} to="/service/api/$" params={{ _splat: id }} search={{}} />}
            >
              {workOfOperation(id).name}
            </Anchor>
          ))}
        </p>
      )}
    </nav>
  );
}
