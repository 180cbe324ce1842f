import { Text } from '@mantine/core';
import { useId, useMemo } from 'react';
import { texts } from '../../components/texts.ts';

const WAVE_HEIGHT = 100;
/** It keeps the place, and one can click on it, while there is no shape. */
const FLAT: readonly number[] = new Array<number>(200).fill(0.02);

interface WaveformProps {
  /** From 0 to 1. None while they are measured, or where they cannot be: then a plain line stands for them. */
  peaks: readonly number[];
  /** Why there is no shape. */
  note: string | null;
  /** How much has been played, 0 to 1. */
  share: number;
  onSeek: (share: number) => void;
}

/** The shape of the sound. A mouse's way to seek; by keyboard the player itself does it. */
export function Waveform({ peaks: measured, note, share, onSeek }: WaveformProps) {
  const id = useId();
  const peaks = measured.length > 0 ? measured : FLAT;
  const path = useMemo(
    () => peaks.map((peak, index) => `M${index + 0.5} ${50 - peak * 48}V${50 + peak * 48}`).join(''),
    [peaks],
  );
  return (
    <div>
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the player's own slider is the way by keyboard. */}
      <svg
        className="wave"
        viewBox={`0 0 ${peaks.length} ${WAVE_HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={texts.jobs.waveform}
        onClick={(event) => {
          const box = event.currentTarget.getBoundingClientRect();
          onSeek((event.clientX - box.left) / box.width);
        }}
      >
        <path d={path} stroke="currentColor" strokeWidth="0.8" opacity="0.4" />
        <clipPath id={id}>
          <rect x="0" y="0" width={peaks.length * share} height={WAVE_HEIGHT} />
        </clipPath>
        <path d={path} stroke="currentColor" strokeWidth="0.8" clipPath={`url(#${id})`} />
      </svg>
      <Text size="xs" c="dimmed" className="wave-note" role="status">
        {note}
      </Text>
    </div>
  );
}
