/** The best of the voices that are here: as the catalogue recommends models, whatever their names. */
import { expect, test } from 'vitest';
import { castOf } from '../../src-server/features/audio/cast.ts';
import { allVoices, readVoices, type VoiceSources } from '../../src-server/features/audio/voices.ts';
import { readCatalogue } from '../../src-server/features/models/schema.ts';

const RESOURCES = new URL('../../resources/', import.meta.url);

const presets = await readVoices(new URL('voices.json', RESOURCES));
const catalogue = await readCatalogue(new URL('models/', RESOURCES));

const FILES = { model: '', tokens: '', lexicon: '', dataFolder: '' };

function voicesWith(...models: readonly (readonly [name: string, language: string])[]) {
  const sources: VoiceSources = {
    presets,
    offered: () => catalogue,
    installed: async () =>
      models.map(([name, language]) => {
        return { name, languages: [language], voice: { family: 'vits', files: FILES, speakers: [], language } };
      }),
    server: () => ({ speechServerUrl: null, speechServerModel: 'tts-1', speechServerVoices: [] }),
    serverKey: () => undefined,
  };
  return allVoices(sources);
}

const bestOf = (voices: Awaited<ReturnType<typeof voicesWith>>) =>
  voices.filter(({ recommended }) => recommended).map(({ slug }) => slug);

test('one voice of each language is recommended, and a natural one before those that are built in', async () => {
  expect(bestOf(await voicesWith())).toEqual([presets[0].slug]);
  const some = await voicesWith(
    ['by-hand', 'en'],
    ['kitten-en', 'en'],
    ['kokoro-en', 'en'],
    ['piper-de-thorsten', 'de'],
  );
  expect(bestOf(some)).toEqual(['voice-kokoro-en', 'voice-piper-de-thorsten']);
  expect(bestOf(await voicesWith(['by-hand', 'en'], ['kitten-en', 'en']))).toEqual(['voice-kitten-en']);
  expect(bestOf(await voicesWith(['a-voice', 'fr'], ['piper-fr-siwis', 'fr']))).toContain('voice-piper-fr-siwis');
});

test('it speaks where no voice is named', async () => {
  const voices = await voicesWith(['by-hand', 'en'], ['kitten-en', 'en'], ['kokoro-en', 'en']);
  const speakers = [{ name: null, voice: null }];
  const script = { speakers, passages: [], directions: [], language: 'en', doubts: [] } as never;
  const cast = castOf({ voices, offered: catalogue, request: { prompt: 'The tide is low.' }, script });
  expect(cast.voices.map(({ slug }) => slug)).toEqual(['voice-kokoro-en']);
});
