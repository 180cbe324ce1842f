import { Anchor, Button, Stack, Textarea } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { serverPath } from '../../api/base-path.ts';
import { useEnvironment } from '../../api/client.ts';
import { hasEnded, jobRecordQuery, operationsQuery } from '../../api/queries.ts';
import { IS_DEVICE } from '../../api/session.ts';
import { Icon } from '../../components/icon.tsx';
import { KeyHint } from '../../components/key-hint.tsx';
import { Failure, Skeletons } from '../../components/page-elements.tsx';
import { operationOf, workOfKind } from '../../components/work.ts';
import { MAKE_KINDS, type MakeKind } from '../../pages.ts';
import { Answer, LiveAnswer } from '../run/answer.tsx';
import { useSending } from '../run/sending.ts';
import { LastTake, Lately, useLately } from '../run/take.tsx';
import { MakeFields } from './fields.tsx';
import { MakeTabs } from './make-tabs.tsx';
import { Presets } from './presets.tsx';
import { type MakeSettings, makeRequest, settingsOfRequest, USUAL } from './settings.ts';
import { make as makeTexts } from './texts.ts';

const route = getRouteApi('/make/$kind');

const t = makeTexts;

/** Speak, compose or write: a text, what it should become, and the takes beside it. */
export function Make(): ReactNode {
  const environment = useEnvironment();
  const { kind: named } = route.useParams();
  const { from } = route.useSearch();
  const kind = MAKE_KINDS.find((one) => one === named) ?? 'speak';
  const earlier = useQuery({ ...jobRecordQuery(environment, from ?? ''), enabled: from !== undefined });
  return (
    <>
      <MakeTabs current={kind} />
      {from !== undefined && earlier.isPending ? (
        <Skeletons rows={6} />
      ) : (
        <MakeForm key={`${environment} ${kind} ${from}`} kind={kind} request={earlier.data?.request ?? {}} />
      )}
    </>
  );
}

/** Words as people count them; scripts without spaces count by the browser's rules. */
function wordCount(text: string): number {
  const words = new Intl.Segmenter(undefined, { granularity: 'word' }).segment(text);
  return [...words].filter(({ isWordLike }) => isWordLike).length;
}

interface MakeFormProps {
  kind: MakeKind;
  /** Of an earlier take; empty for a new one. */
  request: Readonly<Record<string, unknown>>;
}

function MakeForm({ kind, request: earlier }: MakeFormProps) {
  const [prompt, setPrompt] = useState(typeof earlier.prompt === 'string' ? earlier.prompt : '');
  const [settings, setSettings] = useState<MakeSettings>(() =>
    earlier.prompt === undefined ? USUAL : settingsOfRequest(earlier),
  );
  const [lacks, setLacks] = useState(false);
  const operations = useQuery(operationsQuery());
  const id = operationOf(kind);
  const streams = operations.data?.find((one) => one.id === id)?.streams ?? false;
  const { request, text, before, stopped, stop, take } = useSending({ id, streams }, kind);
  const words = wordCount(prompt);
  const makeIt = () => {
    setLacks(words === 0);
    if (words > 0) request.mutate({ sender: 'owner', body: makeRequest(kind, prompt, settings) });
  };
  return (
    <div className="run-panes make-panes">
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          makeIt();
        }}
      >
        <Stack gap="lg">
          <Textarea
            label={t.ask[kind]}
            placeholder={t.hint[kind]}
            autosize
            minRows={5}
            maxRows={18}
            value={prompt}
            error={lacks && words === 0 ? t.nothing : undefined}
            description={words > 0 && (kind === 'speak' ? t.spokenFor(words, settings.speed) : t.words({ words }))}
            inputWrapperOrder={['label', 'input', 'error', 'description']}
            onChange={(event) => setPrompt(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) makeIt();
            }}
          />
          <Presets kind={kind} settings={settings} onChange={setSettings} />
          <MakeFields
            kind={kind}
            prompt={prompt}
            settings={settings}
            set={(change) => setSettings((all) => ({ ...all, ...change }))}
          />
          {request.isError && !stopped && <Failure error={request.error} />}
          <MakeActs kind={kind} isBusy={request.isPending} />
        </Stack>
      </form>
      <Stack gap="md">
        {request.data === undefined && text !== '' && (
          <LiveAnswer text={text} state={stopped ? 'stopped' : request.isError ? 'broken' : 'busy'} onStop={stop} />
        )}
        <Takes kind={kind} take={take} hasAnswer={before !== null || text !== ''} />
        {before !== null && take === null && <Answer sent={before} old={request.data === undefined} isPlain />}
      </Stack>
    </div>
  );
}

function MakeActs({ kind, isBusy }: { kind: MakeKind; isBusy: boolean }) {
  return (
    <div className="make-acts">
      <Button
        type="submit"
        size="md"
        loading={isBusy}
        leftSection={<Icon name={workOfKind(kind).icon} />}
        rightSection={<KeyHint className="make-key">Ctrl ↵</KeyHint>}
      >
        {t.act[kind]}
      </Button>
      <span className="small dim">{t.stays[kind]}</span>
      {kind === 'compose' && (
        <Anchor href={serverPath('/reference/guides/audio#soundscapes')} size="sm">
          {t.allSounds}
        </Anchor>
      )}
      {!IS_DEVICE && <AsCode kind={kind} />}
    </div>
  );
}

/** The way to the same call for programs, in the Service half. */
function AsCode({ kind }: { kind: MakeKind }) {
  return (
    <Anchor
      size="sm"
      ms="auto"
      renderRoot={(props) => (
        <Link
          {...props}
          to="/service/api/$"
          params={{ _splat: operationOf(kind) }}
          search={kind === 'compose' ? { intent: kind } : {}}
        />
      )}
    >
      {t.asCode}
    </Anchor>
  );
}

/** The take that was made here, or the last one, and earlier ones. */
function Takes({ kind, take, hasAnswer }: { kind: MakeKind; take: string | null; hasAnswer: boolean }) {
  const lately = useLately(operationOf(kind), kind);
  const shown = take ?? (hasAnswer ? undefined : lately.find(hasEnded)?.jobId);
  return (
    <>
      {shown !== undefined && <LastTake key={shown} jobId={shown} />}
      <Lately jobs={lately} page={kind} />
    </>
  );
}
