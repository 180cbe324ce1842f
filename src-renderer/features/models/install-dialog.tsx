import '../../styles/models.css';
import { Button, Group, Modal, Radio, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { InstallChoice, WaitingFor } from '../../api/generated/public.ts';
import { modelsQuery } from '../../api/queries.ts';
import { formatByteCount } from '../../components/format.ts';
import { Icon } from '../../components/icon.tsx';
import { KindTile } from '../../components/kind.tsx';
import { Failure, HIDDEN_LABEL } from '../../components/page-elements.tsx';
import type { Kind } from '../../components/work.ts';
import { workOfKind } from '../../components/work.ts';
import { install as texts } from './install-texts.ts';
import { ModelSample } from './model-sample.tsx';

type NeedName = NonNullable<WaitingFor['need']>;

const KIND_OF_NEED: Readonly<Record<NeedName, Kind>> = {
  speech: 'transcribe',
  speakers: 'transcribe',
  text: 'write',
  voice: 'speak',
  soundfont: 'compose',
  embedding: 'search',
  'ocr-language': 'read',
  ffmpeg: 'transcribe',
  'yt-dlp': 'transcribe',
  'whisper-cli': 'transcribe',
  browser: 'crawl',
};

interface InstallDialogProps {
  /** What waits: the name of a job. */
  name: string;
  need: NeedName;
  /** The title of an offer, where nothing waits yet. */
  offer?: string;
  /** What is missing, in one sentence. */
  reason: string;
  /** The recommended one first. */
  choices: readonly InstallChoice[];
  opened: boolean;
  onClose: () => void;
  /** Starts the download of a choice. The dialog closes when it has started. */
  onInstall: (choice: InstallChoice) => Promise<unknown>;
}

/** Asks what to install for a job that waits. The job starts by itself afterwards. */
export function InstallDialog({ opened, onClose, ...rest }: InstallDialogProps) {
  return (
    <Modal.Root opened={opened} onClose={onClose} size={560} className="install-dialog">
      <Modal.Overlay />
      <Modal.Content aria-label={rest.offer ?? texts.titles[rest.need]({ name: rest.name })}>
        <Choices {...rest} onClose={onClose} />
      </Modal.Content>
    </Modal.Root>
  );
}

function Choices({ name, need, offer, reason, choices, onClose, onInstall }: Omit<InstallDialogProps, 'opened'>) {
  const first = choices.find(({ recommended }) => recommended) ?? choices[0];
  const [chosen, setChosen] = useState(first?.name ?? '');
  const choice = choices.find((one) => one.name === chosen);
  const install = useMutation({
    mutationFn: async () => {
      if (choice !== undefined) await onInstall(choice);
    },
    onSuccess: onClose,
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        install.mutate();
      }}
    >
      <div className="install-body">
        <div className="install-head">
          <KindTile work={workOfKind(KIND_OF_NEED[need])} big />
          <div>
            <h2>{offer ?? texts.titles[need]({ name })}</h2>
            <Text c="dimmed">
              {reason} {offer === undefined ? texts.about : texts.aboutOffer}
            </Text>
          </div>
        </div>
        {choices.length === 0 && <Text>{texts.noChoices}</Text>}
        <Radio.Group value={chosen} onChange={setChosen} label={texts.choices} labelProps={HIDDEN_LABEL}>
          {choices.map((one) => (
            <div key={one.name} className="install-way">
              <ChoiceCard choice={one} />
              {need === 'voice' && <ChoiceSample name={one.name} />}
            </div>
          ))}
        </Radio.Group>
        {choice !== undefined && (
          <p className="install-source">
            <Icon name="shield-check" size={14} /> {texts.from({ source: choice.source, licence: choice.licence })}
          </p>
        )}
        {install.isError && <Failure error={install.error} />}
      </div>
      <Group className="install-foot" gap="sm">
        <Button
          type="submit"
          leftSection={<Icon name="download" />}
          loading={install.isPending}
          disabled={choice === undefined}
          data-autofocus
        >
          {offer === undefined ? texts.go : texts.install}
        </Button>
        <Button variant="default" onClick={onClose}>
          {texts.notNow}
        </Button>
        {offer === undefined && (
          <Text size="sm" c="dimmed" ms="auto">
            {texts.willWait({ name })}
          </Text>
        )}
      </Group>
    </form>
  );
}

/** How the voice sounds, where its publisher offers that. */
function ChoiceSample({ name }: { name: string }) {
  const listed = useQuery(modelsQuery());
  const model = listed.data?.models.find((one) => one.name === name);
  return model === undefined ? null : <ModelSample model={model} />;
}

function ChoiceCard({ choice: { name, title, note, sizeBytes, recommended, fits } }: { choice: InstallChoice }) {
  return (
    <Radio.Card value={name} className="install-choice">
      <Radio.Indicator />
      <span className="grow">
        <b>{title}</b>
        {recommended && fits && <span className="install-suits">{texts.suits}</span>}
        {!fits && <span className="install-large">{texts.tooLarge}</span>}
        <span className="install-note">{note}</span>
      </span>
      <span className="num">{formatByteCount(sizeBytes)}</span>
    </Radio.Card>
  );
}
