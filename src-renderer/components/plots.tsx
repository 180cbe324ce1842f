/** Plots small enough for a list: own `svg`, no library. Stacked bars over time are in `bars.tsx`, loaded on demand. */
import { lazy, type PointerEvent, type ReactNode, Suspense } from 'react';
import type { BarsProps } from './bars.tsx';

const LazyBars = lazy(async () => ({ default: (await import('./bars.tsx')).Bars }));

/** Stacked bars over time. The library is loaded with the first one; its place is kept meanwhile. */
export function Bars(props: BarsProps) {
  return (
    <Suspense fallback={<div style={{ height: props.height ?? 119 }} />}>
      <LazyBars {...props} />
    </Suspense>
  );
}

/** A value above its plot: "604 jobs in 30 days", with an aside at the end. */
export function FigureLine({ value, about, aside }: { value: ReactNode; about: ReactNode; aside?: ReactNode }) {
  return (
    <div className="figure-line">
      <b>{value}</b>
      <span className="dim">{about}</span>
      {aside !== undefined && <span>{aside}</span>}
    </div>
  );
}

interface SparklineProps {
  /** Oldest first. */
  values: readonly number[];
  /** What it shows, for screen readers: "Calls a day, 30 days". */
  label: string;
  colour?: string;
  /** The colour of one bar, by its index; instead of `colour`. */
  colourAt?: (index: number) => string;
  /** The value of a full bar: by default the highest one. */
  most?: number;
  height?: number;
}

/** Thin bars without an axis. */
export function Sparkline(props: SparklineProps) {
  const { values, label, colour = 'var(--q-line-control)', colourAt = () => colour, height = 24 } = props;
  const most = Math.max(...values, props.most ?? 1);
  return (
    <svg
      className="sparkline"
      viewBox={`0 0 ${Math.max(values.length, 1) * 4} ${height}`}
      height={height}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      {values.map((value, index) => {
        const size = value === 0 ? 1 : Math.max(2, (height * value) / most);
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: values are identified by position only.
          <rect key={index} x={index * 4} y={height - size} width={3} height={size} style={{ fill: colourAt(index) }} />
        );
      })}
    </svg>
  );
}

interface WaveformProps {
  /** Loudness between 0 and 1, in equal steps. */
  peaks: readonly number[];
  label: string;
  /** The part that has played, from 0 to 1. */
  played?: number;
  /** The colour of a part of the recording, by its place from 0 to 1: speakers, or sections of music. */
  colourAt?: (place: number) => string;
  onSeek?: (place: number) => void;
  height?: number;
}

const BARS = 160;

/** The loudness of a recording. What has not played yet is faint; the playhead is copper. */
export function Waveform(props: WaveformProps) {
  const { peaks, label, played = 0, colourAt = () => 'var(--q-kind-transcribe)', onSeek, height = 64 } = props;
  const bars = loudestPeaks(peaks, BARS);
  const seekInWaveform = ({ currentTarget, clientX, buttons, type }: PointerEvent<SVGSVGElement>) => {
    if (type === 'pointermove' && buttons !== 1) return;
    const { left, width } = currentTarget.getBoundingClientRect();
    onSeek?.(Math.min(1, Math.max(0, (clientX - left) / width)));
  };
  return (
    <svg
      className="waveform"
      viewBox={`0 0 ${BARS * 3} ${height}`}
      height={height}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
      onPointerDown={seekInWaveform}
      onPointerMove={seekInWaveform}
    >
      {bars.map((peak, index) => {
        const size = Math.max(2, peak * (height - 8));
        const place = index / BARS;
        return (
          <rect
            // biome-ignore lint/suspicious/noArrayIndexKey: bars are identified by position only.
            key={index}
            x={index * 3}
            y={(height - size) / 2}
            width={2}
            height={size}
            rx={1}
            style={{ fill: colourAt(place), opacity: place <= played ? 1 : 0.45 }}
          />
        );
      })}
      {played > 0 && (
        <rect x={played * BARS * 3 - 0.75} y={0} width={1.5} height={height} style={{ fill: 'var(--q-copper)' }} />
      )}
    </svg>
  );
}

/** The loudest peak of each of `count` equal parts. */
function loudestPeaks(peaks: readonly number[], count: number): number[] {
  if (peaks.length === 0) return [];
  return Array.from({ length: count }, (_, index) => {
    const from = Math.floor((index * peaks.length) / count);
    const to = Math.max(from + 1, Math.floor(((index + 1) * peaks.length) / count));
    return Math.max(...peaks.slice(from, to), 0);
  });
}
