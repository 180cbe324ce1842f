import type { SubtitleStyle } from '../../../workers/media/tasks.ts';
import type { SubtitleOptions, SubtitlePreset } from './schema.ts';

const SHARED = { lineChars: 42, lines: 2, charsPerSecond: 20, gapSeconds: 0 };

/** Two frames at 24 per second, a minimum of five sixths of a second: Netflix's Timed Text Style Guide. */
const NETFLIX = { ...SHARED, minSeconds: 0.833, maxSeconds: 7, gapSeconds: 0.083 };

/** YouTube states no limits; these are what subtitlers use for small players. */
const YOUTUBE = { ...SHARED, lineChars: 38, minSeconds: 1, maxSeconds: 6 };

const PRESETS: Readonly<Record<SubtitlePreset, SubtitleStyle>> = {
  standard: { ...SHARED, minSeconds: 0.5, maxSeconds: 7 },
  netflix: NETFLIX,
  'netflix-children': { ...NETFLIX, charsPerSecond: 17 },
  youtube: YOUTUBE,
};

/** The limits that options ask for; null where cues follow the segments, as `standard` alone does. */
export function subtitleStyleOf(options: SubtitleOptions | undefined): SubtitleStyle | null {
  const { preset = 'standard', ...given } = options ?? {};
  const set = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  if (preset === 'standard' && Object.keys(set).length === 0) return null;
  return { ...PRESETS[preset], ...set };
}
