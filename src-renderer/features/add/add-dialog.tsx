import { ActionIcon, Button, Checkbox, Modal, TextInput } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { omitUndefined } from '../../../src-server/platform/omit-undefined.ts';
import { useEnvironment } from '../../api/client.ts';
import { needsQuery } from '../../api/queries.ts';
import { IS_DEVICE } from '../../api/session.ts';
import { formatByteCount, joinTexts } from '../../components/format.ts';
import { Icon } from '../../components/icon.tsx';
import { KindTile } from '../../components/kind.tsx';
import { texts } from '../../texts.ts';
import { addUploads } from '../uploads/queue.ts';
import {
  optionsAfter,
  type Reading,
  readingOptions,
  type SourceKind,
  savedReading,
  saveReading,
  sourceKindOf,
} from '../uploads/reading.ts';
import { canBeRead, fileSource, isSoundSource, type Place, type Source, typedSources } from '../uploads/sources.ts';
import { ReadingChoices } from './choices.tsx';
import { closeAdd, type Earlier, useOpenedAdd } from './open-add.ts';
import { PlaceFields } from './place-fields.tsx';
import { Recorder } from './recorder.tsx';

const KINDS: readonly SourceKind[] = ['talk', 'hosted', 'document', 'site'];

const t = texts.add;

/** Brings something in: what, how carefully, and what to find in it. */
export function AddDialog() {
  const opened = useOpenedAdd();
  const isPhone = useMediaQuery('(max-width: 720px)', undefined, { getInitialValueInEffect: false });
  return (
    <Modal
      opened={opened !== null}
      onClose={closeAdd}
      size={720}
      fullScreen={isPhone ?? false}
      title={t.title}
      closeButtonProps={{ 'aria-label': texts.common.close }}
      attributes={{ header: { role: 'presentation' } }}
    >
      {opened !== null && <AddForm start={opened.sources} earlier={opened.earlier} />}
    </Modal>
  );
}

interface AddFormProps {
  start: readonly Source[];
  earlier: Earlier | null;
}

function AddForm({ start, earlier }: AddFormProps) {
  const environment = useEnvironment();
  const [sources, setSources] = useState(start);
  const [typed, setTyped] = useState('');
  const [isLacking, setLacking] = useState(false);
  const [isUsual, setUsual] = useState(false);
  const [place, setPlace] = useState<Place>({ tags: [], collection: null });
  const { readingOf, change, withChoices } = useReadings(earlier);
  const all = [...sources, ...typedSources(typed)];
  const [only] = all;
  const shown = all.length === 0 && earlier !== null ? [earlier] : all;
  const kinds = KINDS.filter((kind) => shown.some(({ operationId }) => sourceKindOf(operationId) === kind));
  const addFiles = (files: readonly File[]) => setSources((before) => [...before, ...files.map(fileSource)]);
  const addAll = (listens: boolean) => {
    setLacking(all.length === 0);
    if (all.length === 0) return;
    if (isUsual) for (const kind of kinds) saveReading(kind, readingOf(kind));
    const isPlaced = place.tags.length > 0 || place.collection !== null;
    const told = omitUndefined({ place: isPlaced ? place : undefined, listens: listens ? true : undefined });
    addUploads(
      environment,
      all.map((source) => ({ ...withChoices(source), ...told })),
    );
    closeAdd();
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        addAll(false);
      }}
    >
      <div className="add-ways">
        <TextInput
          aria-label={t.paste}
          placeholder={t.paste}
          leftSection={<Icon name="link" />}
          value={typed}
          error={isLacking && all.length === 0 ? t.nothing : undefined}
          data-autofocus
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
        <ChooseFiles onFiles={addFiles} />
        <Recorder onRecorded={(file) => addFiles([file])} />
      </div>
      {earlier !== null && all.length === 0 && (
        <p className="small dim" role="note">
          {t.another({ name: earlier.name })}
        </p>
      )}
      <SourceList sources={sources} onRemove={(one) => setSources(sources.filter((source) => source !== one))} />
      {kinds.map((kind) => (
        <section key={kind} className="add-kind" aria-label={t.kinds[kind]}>
          {kinds.length > 1 && <h2 className="add-kind-name">{t.kinds[kind]}</h2>}
          <ReadingChoices kind={kind} reading={readingOf(kind)} set={(changed) => change(kind, changed)} />
        </section>
      ))}
      {kinds.length > 0 && <PlaceFields place={place} onPlace={setPlace} />}
      <AddFoot
        hasSources={kinds.length > 0}
        isUsual={isUsual}
        onUsual={setUsual}
        onListen={all.length === 1 && only !== undefined && canBeRead(only) ? () => addAll(true) : null}
      />
    </form>
  );
}

/** How each kind of source is read: as an earlier request was, else as was chosen before, with what is changed here. */
function useReadings(earlier: Earlier | null) {
  const needs = useQuery({ ...needsQuery(), enabled: !IS_DEVICE });
  const findsSpeakers = needs.data?.needs.some(({ need, ready }) => need === 'speakers' && ready) ?? false;
  const [changes, setChanges] = useState<Partial<Record<SourceKind, Partial<Reading>>>>({});
  const earlierOf = (kind: SourceKind) =>
    earlier !== null && sourceKindOf(earlier.operationId) === kind ? earlier : null;
  const readingOf = (kind: SourceKind): Reading => ({
    ...(earlierOf(kind)?.reading ?? savedReading(kind, findsSpeakers && kind === 'talk')),
    ...changes[kind],
  });
  return {
    readingOf,
    change: (kind: SourceKind, changed: Partial<Reading>) =>
      setChanges((before) => ({ ...before, [kind]: { ...before[kind], ...changed } })),
    withChoices: (source: Source): Source => {
      const { operationId } = source;
      const told = { operationId, isSound: isSoundSource(source) };
      const kind = sourceKindOf(operationId);
      const before = earlierOf(kind);
      if (before === null) return { ...source, options: readingOptions(told, readingOf(kind)) };
      return { ...source, options: optionsAfter(told, before, readingOf(kind)) };
    },
  };
}

interface AddFootProps {
  hasSources: boolean;
  /** Whether later sources of these kinds are read alike. */
  isUsual: boolean;
  onUsual: (isUsual: boolean) => void;
  /** Adds the only source and reads it aloud; null where that is no way to it. */
  onListen: (() => void) | null;
}

function AddFoot({ hasSources, isUsual, onUsual, onListen }: AddFootProps) {
  return (
    <div className="add-foot">
      <span className="grow">
        {hasSources ? (
          <Checkbox label={t.always} checked={isUsual} onChange={(event) => onUsual(event.currentTarget.checked)} />
        ) : (
          <span className="small dim">{t.stays}</span>
        )}
      </span>
      <Button variant="default" onClick={closeAdd}>
        {texts.common.cancel}
      </Button>
      {onListen !== null && (
        <Button variant="default" leftSection={<Icon name="volume-2" />} onClick={onListen}>
          {t.listen}
        </Button>
      )}
      <Button type="submit" leftSection={<Icon name="plus" />}>
        {t.open}
      </Button>
    </div>
  );
}

function ChooseFiles({ onFiles }: { onFiles: (files: readonly File[]) => void }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label={t.files}
        onChange={({ currentTarget }) => {
          onFiles([...(currentTarget.files ?? [])]);
          // Browsers fire no change event if the same file is chosen again.
          currentTarget.value = '';
        }}
      />
      <Button variant="default" leftSection={<Icon name="upload" />} onClick={() => input.current?.click()}>
        {t.files}
      </Button>
    </>
  );
}

function SourceList({ sources, onRemove }: { sources: readonly Source[]; onRemove: (source: Source) => void }) {
  if (sources.length === 0) return null;
  return (
    <ul className="add-list">
      {sources.map((source, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the same file may be there twice; rows keep no state.
        <li key={index}>
          <KindTile work={source.work} />
          <span className="grow">
            <span className="label truncate" title={source.address ?? source.name}>
              {source.name}
            </span>
            <span className="small add-about">
              {source.work.noun}
              {source.file !== null && joinTexts(['', formatByteCount(source.file.size)])}
            </span>
          </span>
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={t.remove({ name: source.name })}
            onClick={() => onRemove(source)}
          >
            <Icon name="x" />
          </ActionIcon>
        </li>
      ))}
    </ul>
  );
}
