/** The sound tracks of a file, as ffmpeg lists them, and which of them is listened to. */
import type { AudioTrack } from '../../contract/index.ts';

export interface ListedTrack {
  codec: string;
  /** As the file states it; null where it does not, or says that it does not know. */
  language: string | null;
  isDefault: boolean;
  /** One channel: others may cancel each other out. */
  isMono: boolean;
}

const AUDIO_LINE = /^\s*Stream #0:\d+(?:\[0x[0-9a-f]+\])?(?:\(([^)]*)\))?: Audio: (\w+)(.*)$/gm;
/** Undetermined, several, none that is spoken, not coded. */
const NO_LANGUAGE = new Set(['', 'und', 'mul', 'zxx', 'mis']);

export function listAudioTracks(said: string): ListedTrack[] {
  return [...said.matchAll(AUDIO_LINE)].map(([, language = '', codec = '', rest = '']) => ({
    codec,
    language: NO_LANGUAGE.has(language) ? null : language,
    isDefault: rest.includes('(default)'),
    isMono: /, (?:mono|1 channels)(?:,|$)/.test(rest),
  }));
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
