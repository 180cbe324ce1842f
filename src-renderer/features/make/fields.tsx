import { Button, Select, Slider, Switch, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { modelsQuery } from '../../api/queries.ts';
import { IS_DEVICE } from '../../api/session.ts';
import { choicesOf } from '../../components/choices.ts';
import { Icon } from '../../components/icon.tsx';
import { LanguageSelect } from '../../components/language-select.tsx';
import type { MakeKind } from '../../pages.ts';
import { texts } from '../../texts.ts';
import { Voices } from '../run/voices.tsx';
import type { MakeSettings } from './settings.ts';
import { make as makeTexts } from './texts.ts';

const SHORTEST_SECONDS = 5;

const LONGEST_SECONDS = 300;

interface FieldsProps {
  /** What is to be said. */
  prompt: string;
  settings: MakeSettings;
  set: (change: Partial<MakeSettings>) => void;
}

const t = makeTexts;

/** The fields of a page of Make, by their effect. */
export function MakeFields({ kind, ...props }: FieldsProps & { kind: MakeKind }) {
  if (kind === 'speak') return <SpeakFields {...props} />;
  return kind === 'compose' ? <ComposeFields {...props} /> : <WriteFields {...props} />;
}

function SpeakFields({ prompt, settings, set }: FieldsProps) {
  return (
    <>
      <div className="make-pair">
        <LanguageSelect label={t.language} value={settings.language} onChange={(language) => set({ language })} />
        <Place settings={settings} set={set} />
      </div>
      <section aria-label={t.voice}>
        <h2 className="label make-label">{t.voice}</h2>
        <Voices value={settings.voice ?? ''} text={prompt} onChange={(voice) => set({ voice: voice ?? null })} />
      </section>
      <div className="make-more">
        <Pace value={settings.speed} onChange={(speed) => set({ speed })} />
        <TextInput
          label={t.background}
          placeholder={t.backgroundHint}
          value={settings.background}
          maxLength={600}
          onChange={(event) => set({ background: event.currentTarget.value })}
        />
        <Switch
          label={t.subtitles}
          description={t.subtitlesAbout}
          checked={settings.subtitles}
          onChange={(event) => set({ subtitles: event.currentTarget.checked })}
        />
        <Switch
          label={t.chapters}
          description={t.chaptersAbout}
          checked={settings.chapters}
          onChange={(event) => set({ chapters: event.currentTarget.checked })}
        />
      </div>
    </>
  );
}

/** `a little slower` */
function paceWords(speed: number): string {
  return t.paceOf(speed);
}

function Pace({ value, onChange }: { value: number; onChange: (speed: number) => void }) {
  return (
    <div>
      <div className="make-label">
        <span className="label">{t.pace}</span>
        <span className="small dim">{paceWords(value)}</span>
      </div>
      <Slider
        min={0.5}
        max={1.5}
        step={0.05}
        label={null}
        thumbLabel={t.pace}
        thumbProps={{ 'aria-valuetext': paceWords(value) }}
        value={value}
        onChange={onChange}
      />
    </div>
  );
}

function Place({ settings, set }: Omit<FieldsProps, 'prompt'>) {
  return (
    <Select
      label={t.place}
      placeholder={texts.common.automatic}
      clearable
      clearButtonProps={{ 'aria-label': texts.common.automatic }}
      data={choicesOf(t.places)}
      value={settings.place}
      onChange={(place) => set({ place })}
    />
  );
}

function ComposeFields({ settings, set }: FieldsProps) {
  return (
    <>
      <div className="make-pair">
        <div>
          <div className="make-label">
            <span className="label">{t.minutes}</span>
            <span className="small dim num">{t.length(settings.seconds)}</span>
          </div>
          <Slider
            min={SHORTEST_SECONDS}
            max={LONGEST_SECONDS}
            step={5}
            label={null}
            thumbLabel={t.minutes}
            thumbProps={{ 'aria-valuetext': t.length(settings.seconds) }}
            value={settings.seconds}
            onChange={(seconds) => set({ seconds })}
          />
        </div>
        <Select
          label={t.tempo}
          data={choicesOf(t.tempos)}
          value={settings.tempo}
          allowDeselect={false}
          onChange={(tempo) => tempo !== null && set({ tempo })}
        />
      </div>
      <div className="make-more">
        <Switch
          label={t.loop}
          description={t.loopAbout}
          checked={settings.loop}
          onChange={(event) => set({ loop: event.currentTarget.checked })}
        />
        <Switch
          label={t.parts}
          description={t.partsAbout}
          checked={settings.parts}
          onChange={(event) => set({ parts: event.currentTarget.checked })}
        />
        <Place settings={settings} set={set} />
        <Button
          variant="default"
          leftSection={<Icon name="rotate-cw" />}
          title={t.anotherAbout}
          onClick={() => set({ piece: settings.piece + 1 })}
        >
          {t.another}
        </Button>
      </div>
    </>
  );
}

function WriteFields({ settings, set }: FieldsProps) {
  const models = useQuery({ ...modelsQuery(), enabled: !IS_DEVICE });
  const writers = (models.data?.models ?? []).filter(({ kind, installed }) => installed && kind === 'text');
  return (
    <div className="make-pair">
      <Select
        label={t.size}
        data={choicesOf(t.sizes)}
        value={settings.size}
        allowDeselect={false}
        onChange={(size) => size !== null && set({ size })}
      />
      <Select
        label={t.freedom}
        data={choicesOf(t.freedoms)}
        value={settings.freedom}
        allowDeselect={false}
        onChange={(freedom) => freedom !== null && set({ freedom })}
      />
      {writers.length > 1 && (
        <Select
          label={t.model}
          placeholder={t.modelAuto}
          clearable
          clearButtonProps={{ 'aria-label': t.modelAuto }}
          data={writers.map(({ name, title }) => ({ value: name, label: title }))}
          value={settings.model}
          onChange={(model) => set({ model })}
        />
      )}
    </div>
  );
}
