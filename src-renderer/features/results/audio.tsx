import { Button, Group } from '@mantine/core';
import { useMemo } from 'react';
import { formatElapsedTime, formatWholeNumber, joinTexts } from '../../components/format.ts';
import { Icon } from '../../components/icon.tsx';
import { pair } from '../../components/literals.ts';
import { Facts } from '../../components/page-elements.tsx';
import { Warnings } from './details.tsx';
import { Doubts } from './doubts.tsx';
import { Player, usePlayback, usePlayKey } from './player.tsx';
import type { ResultProps } from './shapes.ts';
import {
  type Fields,
  mediaOf,
  musicSections,
  numberOrNull,
  objectFields,
  peaksOf,
  resultFiles,
  resultOf,
} from './shapes.ts';
import { results as texts } from './texts.ts';

const SECOND_MS = 1000;

const KILO = 1000;

/** Speech or music: its player, its words, and what was measured. */
export function AudioResult({ job, record }: ResultProps) {
  const result = resultOf(job);
  const files = useMemo(() => resultFiles(job, record), [job, record]);
  const peaks = useMemo(() => peaksOf(result), [result]);
  const length = numberOrNull(result.durationSeconds) ?? 0;
  const sections = useMemo(() => musicSections(result), [result]);
  const media = mediaOf(files);
  const playback = usePlayback(null, length);
  usePlayKey(playback.toggle, media !== null);
  const captions = files.find(({ name }) => name.endsWith('.vtt'));
  const prompt = typeof record?.request.prompt === 'string' ? record.request.prompt : null;
  const sounds = files.filter(({ name }) => /^audio\./.test(name));
  return (
    <div className="result sound" data-result>
      {media !== null && <Player {...{ media, playback, captions, peaks, sections }} />}
      <Group gap="sm">
        {sounds.map(({ name, url }) => (
          <Button
            key={name}
            component="a"
            href={url}
            download={name}
            size="xs"
            variant="default"
            leftSection={<Icon name="download" size={14} />}
          >
            {texts.saveAs({ form: name.split('.').at(-1)?.toUpperCase() ?? name })}
          </Button>
        ))}
      </Group>
      <Warnings result={result} />
      <Doubts result={result} />
      <div className="sound-facts">
        {prompt !== null && (
          <section aria-label={result.kind === 'speech' ? texts.spokenText : texts.description}>
            <h2>{result.kind === 'speech' ? texts.spokenText : texts.description}</h2>
            <p className="sound-prompt" dir="auto">
              {prompt}
            </p>
          </section>
        )}
        <AudioFacts result={result} />
      </div>
    </div>
  );
}

function AudioFacts({ result }: { result: Fields }) {
  const analysis = objectFields(result.analysis) ?? {};
  const music = objectFields(result.music);
  const voice = objectFields(result.voice);
  const t = texts.audio;
  const measuredText = (name: string, unit: string): string => {
    const value = numberOrNull(analysis[name]);
    return value === null ? t.notMeasured : `${value} ${unit}`;
  };
  const layers = Array.isArray(result.sounds) ? result.sounds : [];
  const sounds = layers.map((layer) => String(objectFields(layer)?.name ?? ''));
  const channels = numberOrNull(result.channels);
  const seconds = numberOrNull(result.durationSeconds);
  const rate = numberOrNull(result.sampleRate);
  const analysisValueText = (value: unknown) => (Array.isArray(value) ? joinTexts(value) : String(value ?? '–'));
  return (
    <section aria-label={t.title}>
      <h2>{t.title}</h2>
      <Facts
        rows={[
          ...(voice === null
            ? []
            : [pair(t.voice, joinTexts([analysisValueText(voice.name), analysisValueText(voice.language)]))]),
          ...(music === null
            ? []
            : [
                pair(t.style, joinTexts([analysisValueText(music.genre), analysisValueText(music.mood)])),
                pair(t.key, joinTexts([analysisValueText(music.key), analysisValueText(music.timeSignature)])),
                pair(t.tempo, t.bpm({ tempo: analysisValueText(music.tempo) })),
                pair(t.instruments, analysisValueText(music.instruments)),
              ]),
          ...(sounds.length === 0 ? [] : [pair(t.sounds, joinTexts(sounds))]),
          [t.length, seconds === null ? t.notMeasured : formatElapsedTime(seconds * SECOND_MS)],
          [
            t.loudness,
            `${measuredText('integratedLufs', 'LUFS')} ${t.goal({ goal: String(analysis.targetLufs ?? '–') })}`,
          ],
          [t.rms, measuredText('rmsDbfs', 'dBFS')],
          [t.range, measuredText('loudnessRangeLu', 'LU')],
          [t.peak, measuredText('truePeakDbtp', 'dBTP')],
          [t.clipped, formatWholeNumber(numberOrNull(analysis.clippedSamples) ?? 0)],
          [t.format, `${(rate ?? 0) / KILO} kHz, ${channels === 1 ? t.mono : t.stereo}`],
        ]}
      />
    </section>
  );
}
