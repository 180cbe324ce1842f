import { duration, number } from '../../components/format.ts';
import { Facts, Panel } from '../../components/page-elements.tsx';
import { texts } from '../../components/texts.ts';
import { type Fields, fieldsOf, numberOf } from './shapes.ts';

const SECOND_MS = 1000;
const KILO = 1000;

/** What was measured of sound that was made: how loud, how even, whether it clips. */
export function AudioFacts({ result }: { result: Fields }) {
  const analysis = fieldsOf(result.analysis) ?? {};
  const t = texts.jobs.audio;
  const measured = (name: string, unit: string): string => {
    const value = numberOf(analysis[name]);
    return value === null ? t.notMeasured : `${value} ${unit}`;
  };
  const channels = numberOf(result.channels);
  const seconds = numberOf(result.durationSeconds);
  const rate = numberOf(result.sampleRate);
  return (
    <Panel title={t.title} about={t.about}>
      <Facts
        rows={[
          [t.length, seconds === null ? t.notMeasured : duration(seconds * SECOND_MS)],
          [t.loudness, `${measured('integratedLufs', 'LUFS')} ${t.goal(String(analysis.targetLufs ?? '–'))}`],
          [t.rms, measured('rmsDbfs', 'dBFS')],
          [t.range, measured('loudnessRangeLu', 'LU')],
          [t.peak, measured('truePeakDbtp', 'dBTP')],
          [t.clipped, number(numberOf(analysis.clippedSamples) ?? 0)],
          [t.format, `${(rate ?? 0) / KILO} kHz, ${channels === 1 ? t.mono : t.stereo}`],
        ]}
      />
    </Panel>
  );
}
