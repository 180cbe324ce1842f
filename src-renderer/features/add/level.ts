import { useEffect, useState } from 'react';

/** Often enough for the eye. */
const LEVEL_MS = 100;

/** Below this level a meter shows nothing. */
const QUIET_DB = -60;

/** How loud a microphone is, from 0 to 1. */
export function useLevel(stream: MediaStream | null): number {
  const [level, setLevel] = useState(0);
  useEffect(() => {
    if (stream === null) {
      setLevel(0);
      return;
    }
    const sound = new AudioContext();
    const meter = sound.createAnalyser();
    sound.createMediaStreamSource(stream).connect(meter);
    const samples = new Float32Array(meter.fftSize);
    const timer = setInterval(() => {
      meter.getFloatTimeDomainData(samples);
      const power = samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length;
      setLevel(Math.max(0, Math.min(1, 1 - (10 * Math.log10(power + 1e-12)) / QUIET_DB)));
    }, LEVEL_MS);
    return () => {
      clearInterval(timer);
      void sound.close();
    };
  }, [stream]);
  return level;
}
