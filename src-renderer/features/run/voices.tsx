import { ActionIcon, Button, SegmentedControl } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Fragment, type ReactNode, useRef, useState } from 'react';
import { apiPath, useEnvironment } from '../../api/client.ts';
import type { Voice } from '../../api/generated/public.ts';
import { voicesQuery } from '../../api/queries.ts';
import { Icon } from '../../components/icon.tsx';
import { Failure, Skeletons } from '../../components/page-elements.tsx';
import { perLocale } from '../../language/locale.ts';
import { run as runTexts } from './texts.ts';
import { VoiceOffer } from './voice-offer.tsx';

/** Of each group. A speech server may offer hundreds. */
const VOICES_SHOWN = 9;

/** The groups in their order. */
const KINDS = ['natural', 'built-in', 'server'] as const satisfies readonly Voice['kind'][];

const languageNames = perLocale((locale) => new Intl.DisplayNames(locale, { type: 'language' }));

interface VoicesProps {
  /** The slug in the field; empty for the automatic choice. */
  value: string;
  /** What is to be spoken. */
  text: string;
  onChange: (slug: string | undefined) => void;
}

/** The voices as tiles, natural ones first: each can be heard, and chosen. */
export function Voices({ value, text, onChange }: VoicesProps): ReactNode {
  const voices = useQuery(voicesQuery(useEnvironment()));
  const sample = useSample();
  const [all, setAll] = useState(false);
  const [language, setLanguage] = useState<string | null>(null);
  if (voices.isError) return <Failure error={voices.error} retry={() => void voices.refetch()} />;
  if (voices.data === undefined) return <Skeletons rows={3} />;
  const languages = [...new Set(voices.data.map(voiceLanguageCode))];
  const chosen = voices.data.find(({ slug, aliases }) => slug === value || aliases.includes(value));
  const main = voiceLanguageCode(chosen ?? voices.data[0]);
  const first = language ?? (voices.data.length > VOICES_SHOWN ? main : ANY);
  const fitting = (first === ANY ? voices.data : voices.data.filter((voice) => voiceLanguageCode(voice) === first))
    // What is recommended is not among those that More shows.
    .toSorted((one, other) => Number(other.recommended) - Number(one.recommended));
  const groups = KINDS.map((kind) => ({ kind, voices: fitting.filter((voice) => voice.kind === kind) }));
  const hidden = all ? 0 : groups.reduce((sum, group) => sum + Math.max(0, group.voices.length - VOICES_SHOWN), 0);
  const voiceTileElement = (voice: Voice) => (
    <VoiceTile
      key={voice.slug}
      voice={voice}
      chosen={voice === chosen}
      playing={sample.playing === voice.slug}
      onPlay={() => sample.toggle(voice.slug)}
      onChoose={() => onChange(voice === chosen ? undefined : voice.slug)}
    />
  );
  const t = runTexts.voices;
  return (
    <section aria-label={t.title}>
      <VoiceOffer text={text} onInstalling={onChange} />
      {languages.length > 1 && (
        <LanguageChoice main={main} language={first} count={languages.length} onChange={setLanguage} />
      )}
      {groups
        .filter((group) => group.voices.length > 0)
        .map((group) => (
          <Fragment key={group.kind}>
            <h3 className="voices-kind">{t.kinds[group.kind]}</h3>
            <ul className="voices" aria-label={t.kinds[group.kind]}>
              {(all ? group.voices : group.voices.slice(0, VOICES_SHOWN)).map(voiceTileElement)}
            </ul>
          </Fragment>
        ))}
      {hidden > 0 && (
        <Button variant="subtle" size="xs" onClick={() => setAll(true)}>
          {t.more({ voices: hidden })}
        </Button>
      )}
      {sample.failed !== '' && (
        <p className="small bad" role="alert">
          {sample.failed}
        </p>
      )}
      <p role="status" dir="auto" className="small dim voice-words">
        {voices.data.find(({ slug }) => slug === sample.heard)?.sampleText}
      </p>
      {/* Its words stand above. */}
      <audio {...sample.element} />
    </section>
  );
}

interface LanguageChoiceProps {
  /** The language beside all of them. */
  main: string;
  /** The choice: a language, or `ANY`. */
  language: string;
  count: number;
  onChange: (language: string) => void;
}

function LanguageChoice({ main, language, count, onChange }: LanguageChoiceProps) {
  const one = language === ANY ? main : language;
  const t = runTexts.voices;
  return (
    <SegmentedControl
      size="xs"
      mb="xs"
      aria-label={t.language}
      value={language}
      data={[
        { value: one, label: voiceLanguageName(one) },
        { value: ANY, label: t.all({ languages: count }) },
      ]}
      onChange={onChange}
    />
  );
}

const ANY = 'any';

/** `en` of `en-GB`. */
function voiceLanguageCode(voice: Voice | undefined): string {
  return voice?.language.split('-')[0] ?? 'und';
}

function voiceLanguageName(language: string): string {
  return languageNames().of(language) ?? language;
}

interface VoiceTileProps {
  voice: Voice;
  chosen: boolean;
  playing: boolean;
  onPlay: () => void;
  onChoose: () => void;
}

function VoiceTile({ voice, chosen, playing, onPlay, onChoose }: VoiceTileProps) {
  const { name, language, description } = voice;
  const t = runTexts.voices;
  return (
    <li className="voice" data-chosen={chosen}>
      <ActionIcon
        variant={playing ? 'filled' : 'default'}
        size={34}
        aria-label={playing ? t.stop({ name }) : t.play({ name })}
        onClick={onPlay}
      >
        <Icon name={playing ? 'pause' : 'play'} size={14} />
      </ActionIcon>
      <button type="button" className="voice-name" aria-pressed={chosen} title={description} onClick={onChoose}>
        <b>{name}</b>
        <span className="small dim truncate">{voiceLanguageName(language)}</span>
        {voice.recommended && <span className="small voice-best">{t.recommended}</span>}
      </button>
    </li>
  );
}

/** One sample plays at a time. The server makes a sample when it is first heard, which takes a moment. */
function useSample() {
  const environment = useEnvironment();
  const audio = useRef<HTMLAudioElement>(null);
  const [playing, setPlaying] = useState<string | null>(null);
  const [heard, setHeard] = useState<string | null>(null);
  const [failed, setFailed] = useState('');
  const toggleVoiceSample = (slug: string) => {
    const { current } = audio;
    if (current === null) return;
    setFailed('');
    if (playing === slug) {
      current.pause();
      return;
    }
    setPlaying(slug);
    setHeard(slug);
    current.src = apiPath(environment, `/voices/samples/${slug}.wav`);
    // Another sample interrupts the call. A sample that does not load is an event of the element.
    current.play().catch(() => {});
  };
  const stopVoiceSample = () => setPlaying(null);
  const reportVoiceSampleError = () => {
    stopVoiceSample();
    setFailed(runTexts.voices.failed);
  };
  return {
    playing,
    /** Its words stay to be read. */
    heard,
    failed,
    toggle: toggleVoiceSample,
    element: { ref: audio, onEnded: stopVoiceSample, onPause: stopVoiceSample, onError: reportVoiceSampleError },
  };
}
