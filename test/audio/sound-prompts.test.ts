import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import sceneData from '../../resources/music/scenes.json' with { type: 'json' };
import { audioKindOf } from '../../src-server/features/audio/kind-of-audio.ts';
import { AudioRequest } from '../../src-server/features/audio/schema.ts';
import { layerTraits } from '../../src-server/features/audio/sound-traits.ts';
import { musicOf, soundscapeOf, withAudioDefaults } from '../../src-server/features/audio/sounds.ts';
import { KEPT_ASIDE } from './kept-aside-prompts.ts';
import { PROMPTS } from './sound-prompts.ts';

/** What becomes of a prompt: its kind, or `refused`, and the sounds. */
function understood(prompt: string): { kind: string; sounds: string[] } {
  const kind = audioKindOf({ prompt });
  if (kind === 'speech') return { kind, sounds: [] };
  try {
    const { layers } = kind === 'music' ? musicOf(prompt, null) : soundscapeOf(prompt);
    return { kind, sounds: layers.map(({ scene }) => scene) };
  } catch (error) {
    return { kind: /nearest are: /.test((error as Error).message) ? 'refused' : String(error), sounds: [] };
  }
}

function wrong(prompts: typeof PROMPTS): string[] {
  return prompts.flatMap(([prompt, kind, ...sounds]) => {
    const got = understood(prompt);
    const isRight = got.kind === kind && sounds.every((sound) => got.sounds.includes(sound));
    return isRight ? [] : `${prompt} → ${got.kind} ${got.sounds.join(', ')}`;
  });
}

test('200 prompts become the sounds, the music or the speech that they ask for', () => {
  expect(PROMPTS.length + KEPT_ASIDE.length).toBeGreaterThanOrEqual(200);
  expect(KEPT_ASIDE.length * 3).toBeGreaterThanOrEqual(200);
  expect(wrong(PROMPTS)).toEqual([]);
  expect(wrong(KEPT_ASIDE).length).toBeLessThanOrEqual(KEPT_ASIDE.length * 0.05);
});

const traitsOf = (prompt: string) => soundscapeOf(prompt).layers.map((layer) => [layer.scene, ...layerTraits(layer)]);

test('the words around a sound shape it, and each is said', () => {
  expect(traitsOf('slow footsteps on gravel')).toEqual([['footsteps', 'slow', 'on gravel']]);
  expect(traitsOf('running footsteps through dry leaves')).toEqual([['footsteps', 'fast', 'on leaves']]);
  expect(traitsOf('a door slams, then footsteps on a wooden floor')).toEqual([
    ['door slam', 'once'],
    ['footsteps', 'on wood', 'later'],
  ]);
  expect(traitsOf('three knocks')).toEqual([['knock', '3 times']]);
  expect(traitsOf('a car horn honking twice')).toEqual([['car horn', '2 times']]);
  expect(traitsOf('two big dogs barking')).toEqual([['dog', 'big or low', '2 at once']]);
  expect(traitsOf('a helicopter passing overhead')).toEqual([['helicopter', 'passing']]);
  expect(traitsOf('a police siren approaching')).toEqual([['siren', 'approaching']]);
  expect(traitsOf('evil laugh in a cave')).toEqual([['laughter', 'with echo']]);
  expect(traitsOf('a lawn mower starting')).toEqual([['lawn mower', 'starting']]);
  expect(traitsOf('zwei bellende Hunde')).toEqual([['dog', '2 at once']]);
  expect(soundscapeOf('a dog barking in a purple hat').warnings.join()).toContain('purple, hat');
});

test('a counted sound is as long as it is, unless a length is given', () => {
  const seconds = (prompt: string, durationSeconds?: number) =>
    withAudioDefaults(AudioRequest.parse({ prompt, durationSeconds })).durationSeconds;
  expect(seconds('three knocks on a door')).toBe(2);
  expect(seconds('a gunshot')).toBe(2);
  expect(seconds('a huge explosion')).toBeLessThan(8);
  expect(seconds('three knocks on a door', 9)).toBe(9);
  expect(seconds('gunshots')).toBe(60);
  expect(seconds('rain')).toBe(60);
  expect(seconds('20 seconds of knocking')).toBe(20);
});

test('the guide lists every sound, and no word names two', async () => {
  const guide = await readFile(new URL('../../resources/reference/audio.md', import.meta.url), 'utf8');
  const listed = new Set(
    guide
      .split('\n')
      .filter((line) => line.startsWith('| '))
      .flatMap((line) => line.split(/ \| |, /)),
  );
  expect(sceneData.filter(({ name }) => !listed.has(name.replace(/ \|$/, '')) && !guide.includes(`${name} |`))).toEqual(
    [],
  );
  const words = sceneData.flatMap((scene) => scene.words);
  expect(words.filter((word, at) => words.indexOf(word) !== at)).toEqual([]);
});
