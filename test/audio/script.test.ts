import { describe, expect, test } from 'vitest';
import { readScript } from '../../workers/audio/read-script.ts';
import type { Passage } from '../../workers/audio/tasks.ts';
import { UNWATCHED } from '../harness/task-context.ts';

const read = (text: string, names: string[] = []) => readScript({ text, names }, UNWATCHED);

/** What differs from plain speech. */
function manner({ text, speaker, speed, gainDb, semitones, pauseSeconds }: Passage) {
  return {
    text,
    ...(speaker === 0 ? {} : { speaker }),
    ...(speed === 1 ? {} : { speed }),
    ...(gainDb === 0 ? {} : { gainDb }),
    ...(semitones === 0 ? {} : { semitones }),
    ...(pauseSeconds === 0 ? {} : { pauseSeconds }),
  };
}

async function passages(text: string, names?: string[]) {
  return (await read(text, names)).passages.map(manner);
}

describe('SSML', () => {
  test.each([
    [
      '<speak>Tom &amp; Ann<break time="1s"/> in <sub alias="the world">W</sub></speak>',
      [{ text: 'Tom & Ann' }, { text: 'in the world', pauseSeconds: 1 }],
    ],
    [
      '<speak>a <prosody rate="80%" volume="+3dB" pitch="+2st">b</prosody> c</speak>',
      [{ text: 'a' }, { text: 'b', speed: 0.8, gainDb: 3, semitones: 2 }, { text: 'c' }],
    ],
    [
      '<speak><p><s>One.</s><s>Two.</s></p><p>Three.</p></speak>',
      [{ text: 'One.\nTwo.' }, { text: 'Three.', pauseSeconds: 0.4 }, { text: '', pauseSeconds: 0.4 }],
    ],
    [
      '<speak>It <emphasis level="strong">is</emphasis>!</speak>',
      [{ text: 'It' }, { text: 'is', speed: 0.85, gainDb: 3 }, { text: '!' }],
    ],
    [
      '<speak><say-as interpret-as="characters">AB1</say-as> <say-as interpret-as="ordinal">3</say-as></speak>',
      [{ text: 'A B 1 3rd' }],
    ],
    ['<speak>Hi <voice name="rowan">ho</voice></speak>', [{ text: 'Hi' }, { text: 'ho', speaker: 1 }]],
    [
      '<?xml version="1.0"?><speak version="1.1" xml:lang="en">&lt;b&gt; <![CDATA[1 < 2]]></speak>',
      [{ text: '<b> 1 < 2' }],
    ],
  ])('%s', async (text, expected) => {
    expect(await passages(text)).toEqual(expected);
  });

  test.each([
    ['<speak>a <phoneme ph="x">b</phoneme></speak>', '<phoneme>'],
    ['<speak><audio src="https://a.example/b.mp3"/>a</speak>', '<audio>'],
    ['<speak>a <prosody range="high">b</prosody></speak>', 'range'],
    ['<speak><say-as interpret-as="expletive">b</say-as></speak>', 'expletive'],
    ['<speak>a <break time="1h"/></speak>', 'break'],
    ['<speak>a <break time="3600s"/></speak>', 'break'],
    ['<speak>a <s>b</speak>', 'well-formed'],
    ['<!DOCTYPE speak [<!ENTITY a "b">]><speak>&a;</speak>', 'prompt'],
    [
      '<?xml version="1.0"?><!DOCTYPE speak [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]><speak>&b;</speak>',
      'prompt',
    ],
    [`<speak>${'<p>'.repeat(400)}a${'</p>'.repeat(400)}</speak>`, 'nested'],
    [`<speak>${'<mark/>'.repeat(6000)}a</speak>`, 'elements'],
    ['<speak> <break time="2s"/> </speak>', 'nothing to speak'],
  ])('is refused by name: %s', async (text, named) => {
    await expect(read(text)).rejects.toMatchObject({
      code: 'invalid_request',
      message: expect.stringContaining(named),
    });
  });
});

describe('a script', () => {
  test('has speakers in capitals before their lines, and what comes before belongs to the narrator', async () => {
    const script = await read('At the door.\n\nANNA: Hello!\nWho is it?\n\n**DR. SMITH:** Me.\nANNA: Come in.');
    expect(script.speakers.map(({ name }) => name)).toEqual([null, 'ANNA', 'DR. SMITH']);
    expect(script.passages.map(manner)).toEqual([
      { text: 'At the door.' },
      { text: 'Hello! Who is it?', speaker: 1 },
      { text: 'Me.', speaker: 2 },
      { text: 'Come in.', speaker: 1 },
    ]);
  });

  test('knows the names that the request gives voices, in any case', async () => {
    const script = await read('Anna: Hello.\nBob: Hi.\nWarning: hot.', ['ANNA', 'bob']);
    expect(script.speakers.map(({ name }) => name)).toEqual(['Anna', 'Bob']);
    expect(script.passages.at(-1)?.text).toContain('Warning: hot.');
  });

  test('is none where one label or notes in capitals begin a line', async () => {
    expect((await read('NOTE: this is it.\nWARNING: hot.')).speakers).toHaveLength(1);
    expect((await read('SUMMARY: fine.\nANNA: said so.')).speakers).toHaveLength(1);
  });

  test('has pauses in brackets', async () => {
    expect(await passages('One. [pause] Two. [pause 300ms] Three. [pause 99s]')).toEqual([
      { text: 'One.' },
      { text: 'Two.', pauseSeconds: 1 },
      { text: 'Three.', pauseSeconds: 0.3 },
      { text: '', pauseSeconds: 10 },
    ]);
  });

  test.each([
    ['Wait. [pause:1s] Go.', 1],
    ['Wait. [pause: 1.5 s] Go.', 1.5],
    ['Wait. [break=300ms] Go.', 0.3],
    ['Wait. [silence 2 seconds] Go.', 2],
    ['Wait. [pause 3] Go.', 3],
    ['Wait. <break time="1.2s"/> Go.', 1.2],
    ["Wait. <break time='500ms' /> Go.", 0.5],
  ])('has the pauses of other makers: %s', async (text, pauseSeconds) => {
    expect(await passages(text)).toEqual([{ text: 'Wait.' }, { text: 'Go.', pauseSeconds }]);
  });

  test('speaks the names of keys and buttons', async () => {
    expect(await passages('Press [Break], then [Wait].')).toEqual([{ text: 'Press [Break], then [Wait].' }]);
  });

  test('leaves out directions that no voice takes, and names them', async () => {
    const { passages: read, directions } = await readScript(
      { text: '[whispers] Come in. [Laughs] [laughs] The list [of names] is here.', names: [] },
      UNWATCHED,
    );
    expect(read.map(({ text }) => text)).toEqual(['Come in. The list [of names] is here.']);
    expect(directions).toEqual(['[whispers]', '[Laughs]', '[laughs]']);
  });

  test('has at most 50 speakers', async () => {
    const lines = (count: number) =>
      Array.from({ length: count }, (_, index) => `SPEAKER ${String.fromCharCode(65 + (index % 26))}${index}: Hi.`);
    expect((await read(lines(50).join('\n'))).speakers).toHaveLength(50);
    await expect(read(lines(51).join('\n'))).rejects.toThrow('51 speakers');
  });
});

describe('the language of a text is', () => {
  test.each([
    ['Hello there.', 'en'],
    ['The quick brown fox jumps over the lazy dog.', 'en'],
    ['My name is 灰, which means ash.', 'en'],
    ['Guten Morgen, wie geht es dir?', 'de'],
    ['Der Zug fährt um neun Uhr ab.', 'de'],
    ['Bonjour tout le monde', 'fr'],
    ['Hola, ¿cómo estás?', 'es'],
    ['Καλημέρα κόσμε.', 'el'],
    ['Доброе утро, мир', 'ru'],
    ['私の名前は Ash です', 'ja'],
    ['Yes no maybe', 'en'],
    ['zebra lemur ibex', null],
    ['Mountain. Potato.', 'en'],
    ['12345', null],
  ])('of %s: %s', async (text, language) => {
    expect((await read(text)).language).toBe(language);
  });
});
