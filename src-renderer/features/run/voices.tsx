import { ActionIcon, Button, SegmentedControl } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useRef, useState } from 'react';
import { apiPath, useEnvironment } from '../../api/client.ts';
import type { Voice } from '../../api/generated/public.ts';
import { voicesQuery } from '../../api/queries.ts';
import { Icon } from '../../components/icon.tsx';
import { texts } from '../../texts.ts';

/** A speech server may offer hundreds. */
const VOICES_SHOWN = 9;

const languageNames = new Intl.DisplayNames('en', { type: 'language' });

interface VoicesProps {
  /** The slug in the field; empty for the automatic choice. */
  value: string;
  onChange: (slug: string | undefined) => void;
}

/** The voices as tiles: each can be heard, and chosen. */
export function Voices({ value, onChange }: VoicesProps): ReactNode {
  const voices = useQuery(voicesQuery(useEnvironment()));
  const sample = useSample();
  const [all, setAll] = useState(false);
  const [language, setLanguage] = useState<string | null>(null);
  if (voices.data === undefined) return null;
  const languages = [...new Set(voices.data.map(languageOf))];
  const chosen = voices.data.find(({ slug }) => slug === value);
  const first = language ?? (chosen === undefined ? (languages[0] ?? '') : languageOf(chosen));
  const fitting = first === ANY ? voices.data : voices.data.filter((voice) => languageOf(voice) === first);
  const shown = all ? fitting : fitting.slice(0, VOICES_SHOWN);
  const t = texts.run.voices;
  return (
    <section aria-label={t.title}>
      {languages.length > 1 && (
        <SegmentedControl
          size="xs"
          mb="xs"
          aria-label={t.language}
          value={first}
          data={[
            {
              value: first === ANY ? (languages[0] ?? '') : first,
              label: nameOf(first === ANY ? languages[0] : first),
            },
            { value: ANY, label: t.all(languages.length) },
          ]}
          onChange={setLanguage}
        />
      )}
      <ul className="voices">
        {shown.map((voice) => (
          <VoiceTile
            key={voice.slug}
            voice={voice}
            chosen={voice.slug === value}
            playing={sample.playing === voice.slug}
            onPlay={() => sample.toggle(voice.slug)}
            onChoose={() => onChange(voice.slug === value ? undefined : voice.slug)}
          />
        ))}
      </ul>
      {shown.length < fitting.length && (
        <Button variant="subtle" size="xs" onClick={() => setAll(true)}>
          {t.more(fitting.length - shown.length)}
        </Button>
      )}
      {sample.failed !== '' && (
        <p className="small bad" role="alert">
          {sample.failed}
        </p>
      )}
      <audio {...sample.element} />
    </section>
  );
}

const ANY = 'any';

/** `en` of `en-GB`. */
function languageOf({ language }: Voice): string {
  return language.split('-')[0] ?? language;
}

function nameOf(language = ''): string {
  return languageNames.of(language) ?? language;
}

interface VoiceTileProps {
  voice: Voice;
  chosen: boolean;
  playing: boolean;
  onPlay: () => void;
  onChoose: () => void;
}

function VoiceTile({ voice: { name, description }, chosen, playing, onPlay, onChoose }: VoiceTileProps) {
  const t = texts.run.voices;
  return (
    <li className="voice" data-chosen={chosen}>
      <ActionIcon
        variant={playing ? 'filled' : 'default'}
        size={34}
        aria-label={playing ? t.stop(name) : t.play(name)}
        onClick={onPlay}
      >
        <Icon name={playing ? 'pause' : 'play'} size={14} />
      </ActionIcon>
      <button type="button" className="voice-name" aria-pressed={chosen} title={description} onClick={onChoose}>
        <b>{name}</b>
        <span className="small dim truncate">{description}</span>
      </button>
    </li>
  );
}

/** One sample plays at a time. The server makes a sample when it is first heard, which takes a moment. */
function useSample() {
  const environment = useEnvironment();
  const audio = useRef<HTMLAudioElement>(null);
  const [playing, setPlaying] = useState<string | null>(null);
  const [failed, setFailed] = useState('');
  const toggle = (slug: string) => {
    const { current } = audio;
    if (current === null) return;
    setFailed('');
    if (playing === slug) {
      current.pause();
      return;
    }
    setPlaying(slug);
    current.src = apiPath(environment, `/voices/samples/${slug}.wav`);
    // Another sample interrupts the call. A sample that does not load is an event of the element.
    current.play().catch(() => {});
  };
  const stop = () => setPlaying(null);
  const onError = () => {
    stop();
    setFailed(texts.run.voices.failed);
  };
  return { playing, failed, toggle, element: { ref: audio, onEnded: stop, onPause: stop, onError } };
}
