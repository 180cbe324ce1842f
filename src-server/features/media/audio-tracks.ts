/** The sound tracks of a file, as ffmpeg lists them, and which of them is listened to. */
import type { AudioTrack } from '../../contract/index.ts';

export interface ListedTrack {
  codec: string;
  /** As the file states it; null where it does not, or says that it does not know. */
  language: string | null;
  isDefault: boolean;
  /** One channel: others may cancel each other out. */
  isMono: boolean;
  /** More than two, of which the file does not say where they are heard; 0 otherwise. */
  unplacedChannels: number;
}

const STEREO_CHANNELS = 2;
const AUDIO_LINE = /^\s*Stream #0:\d+(?:\[0x[0-9a-f]+\])?(?:\(([^)]*)\))?: Audio: (\w+)(.*)$/gm;
/** Undetermined, several, none that is spoken, not coded. */
const NO_LANGUAGE = new Set(['', 'und', 'mul', 'zxx', 'mis']);

export function listAudioTracks(said: string): ListedTrack[] {
  return [...said.matchAll(AUDIO_LINE)].map(([, language = '', codec = '', rest = '']) => ({
    codec,
    language: NO_LANGUAGE.has(language) ? null : language,
    isDefault: rest.includes('(default)'),
    isMono: /, (?:mono|1 channels)(?:,|$)/.test(rest),
    unplacedChannels: unplacedIn(rest),
  }));
}

function unplacedIn(rest: string): number {
  const channels = Number(/, (\d{1,3}) channels(?:,|$)/.exec(rest)?.[1] ?? 0);
  return channels > STEREO_CHANNELS ? channels : 0;
}

/**
 * What a track goes through before anything else: of channels without a place each is heard as well as the others. One
 * that is alone keeps more of its loudness than in their mean, and three that say the same are not too loud.
 */
export function mixFilters({ unplacedChannels: channels }: ListedTrack): string[] {
  if (channels === 0) return [];
  const share = (1 / Math.sqrt(channels)).toFixed(3);
  return [`pan=mono|c0=${Array.from({ length: channels }, (_, index) => `${share}*c${index}`).join('+')}`];
}

/** Null where there is no sound. */
export function chooseAudioTrack(tracks: readonly ListedTrack[], language: string | undefined): AudioTrack | null {
  const [only] = tracks;
  if (only === undefined) return null;
  const choose = (track: ListedTrack, chosenBy: AudioTrack['chosenBy']): AudioTrack => {
    return { number: tracks.indexOf(track) + 1, of: tracks.length, language: track.language, chosenBy };
  };
  if (tracks.length === 1) return choose(only, 'only');
  const asked = language === undefined ? null : shortCode(language);
  const spoken = tracks.filter((track) => asked !== null && shortCode(track.language ?? '') === asked);
  const right = spoken.find(({ isDefault }) => isDefault) ?? spoken[0];
  if (right !== undefined) return choose(right, 'language');
  const marked = tracks.find(({ isDefault }) => isDefault);
  return marked === undefined ? choose(only, 'first') : choose(marked, 'default');
}

/** `ger`, `deu`, `de-AT` and `de` are `de`. Null for what is no language. */
function shortCode(language: string): string | null {
  try {
    return Intl.getCanonicalLocales(language)[0]?.split('-')[0] ?? null;
  } catch {
    // Files state whatever their makers typed.
    return null;
  }
}
