import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  areWhole,
  coveredByCaptions,
  describedVideoPage,
  missingSeconds,
} from '../../../src-server/features/media/hosted-video.ts';
import { type Described, ytDlpFailure } from '../../../src-server/features/media/yt-dlp.ts';
import { readCaptions } from '../../../workers/media/read-captions.ts';
import { mergeCaptions, writeTranscript } from '../../../workers/media/write-transcript.ts';
import { UNWATCHED } from '../../harness/task-context.ts';

describe('what yt-dlp says becomes an error with advice', () => {
  test.for([
    ['ERROR: [youtube] x: Private video. Sign in if you’ve been granted access', 'source_forbidden', 'private'],
    [
      'ERROR: [youtube] x: Sign in to confirm your age. This video may be inappropriate',
      'source_forbidden',
      'age limit',
    ],
    ['ERROR: [youtube] x: Sign in to confirm you’re not a bot.', 'source_forbidden', 'against bots'],
    ['ERROR: [site] x: The uploader has not made this video available in your country', 'source_forbidden', 'country'],
    [
      'ERROR: [youtube] x: Video unavailable. This video has been removed by the uploader',
      'source_unreachable',
      'no longer',
    ],
    ['ERROR: Unsupported URL: https://a.example/', 'unsupported_media', 'No video'],
    [
      '<urlopen error file:// URLs are explicitly disabled in yt-dlp for security reasons.>\nERROR: The file is empty',
      'source_forbidden',
      'files instead of web addresses',
    ],
    ['ERROR: ffmpeg not found. Please install or provide the path', 'engine_unavailable', 'npm run ffmpeg'],
    ['ERROR: something that nobody has seen', 'engine_failed', 'Update yt-dlp'],
  ] as const)('%s', ([said, code, words]) => {
    const error = ytDlpFailure(`WARNING: noise\n${said}\n`);
    expect(error.code).toBe(code);
    expect(error.message).toContain(words);
  });
});

describe('captions and what was heard', () => {
  const caption = { start: 0, end: 60, text: 'A caption.' };
  test('captions that leave out a tenth of the video are not whole', () => {
    expect(areWhole([caption], 65)).toBe(true);
    expect(areWhole([caption], 600)).toBe(false);
    expect(missingSeconds([caption], 600)).toBe(540);
  });

  test('a short video needs as much of it, and pauses between sentences are no gaps', () => {
    const sentences = [0, 10, 20, 30].map((start) => ({ start, end: start + 7, text: 'x' }));
    expect(areWhole(sentences, 40)).toBe(true);
    expect(areWhole(sentences.slice(0, 2), 40)).toBe(false);
    expect(areWhole([], 40)).toBe(false);
    expect(coveredByCaptions(sentences.slice(1), 40)).toEqual({
      startSeconds: 10,
      endSeconds: 37,
      durationSeconds: 27,
    });
    expect(coveredByCaptions([...sentences].reverse(), null)).toMatchObject({ startSeconds: 0, endSeconds: 37 });
  });

  const read = (text: string) => {
    const { segments } = readCaptions({ body: Buffer.from(text), language: null });
    return segments.map((segment) => segment.text);
  };

  test('cues that nothing sets apart are told apart by their times, and signs are what HTML calls them', () => {
    const text = '1\n00:00:01,000 --> 00:00:02,000\nIt&#8217;s &eacute;\n2\n00:00:02,000 --> 00:00:03,000\nTwo\n';
    expect(read(text)).toEqual(['It’s é', 'Two']);
  });

  test('times typed by hand are read without zeros and fractions, and what is smaller is no tag', () => {
    const text = '1\n0:0:1 --> 00:00:02,5\n1 < 2, <i>and</i> 3 > 2\n\n2\n00:00:03,0005 --> 00:00:04,123456\nTwo\n';
    expect(readCaptions({ body: Buffer.from(text), language: null }).segments).toEqual([
      { start: 1, end: 2.5, text: '1 < 2, and 3 > 2' },
      { start: 3.001, end: 4.123, text: 'Two' },
    ]);
  });

  test('Timed Text gives its paragraphs, whatever they count in, and parts with times of their own by themselves', () => {
    const body = (name: string, rates: string, paragraphs: string) =>
      `\ufeff<?xml version="1.0"?>\n<${name} xmlns="http://www.w3.org/ns/ttml" ${rates}><head><metadata>Who made it` +
      `</metadata></head><body><div begin="10s">\n${paragraphs}\n</div></body></${name}>`;
    const named = body(
      'tt',
      'ttp:frameRate="25" ttp:tickRate="10000000"',
      '<p begin="00:00:01.500" end="00:00:03.000">Caf\u00e9 &amp;<br/>\n  <span tts:color="red">tea</span></p>' +
        '<p begin="00:00:04:05" dur="1s">Frames</p><p begin="60000000t" end="70000000t">Ticks</p>' +
        '<p begin="8s" end="12s"><span begin="0s" end="1s">One,</span> <span begin="1s" end="2s">two</span></p>' +
        '<p begin="20s" end="21s"> </p>',
    );
    expect(readCaptions({ body: Buffer.from(named), language: null }).segments).toEqual([
      { start: 11.5, end: 13, text: 'Café & tea' },
      { start: 14.2, end: 15.2, text: 'Frames' },
      { start: 16, end: 17, text: 'Ticks' },
      { start: 18, end: 19, text: 'One,' },
      { start: 19, end: 20, text: 'two' },
    ]);
    expect(read(body('tt:tt', '', '<tt:p begin="0.5s" end="500ms">Prefixed</tt:p>'))).toEqual(['Prefixed']);
    const files = {
      en: [
        { ext: 'json3', url: 'a' },
        { ext: 'ttml', url: 'b' },
      ],
    };
    expect(describedVideoPage({ subtitles: files } as unknown as Described).captions).toEqual([
      { url: 'b', language: 'en' },
    ]);
  });

  test('of captions that roll each line is read once', () => {
    const cues = [
      '00.1 --> 00:02\n \none <c>line</c>',
      '02.0 --> 00:02.1\none line\n ',
      '02.1 --> 00:05\none line\nanother',
    ];
    const text = `WEBVTT\n\n${cues.map((cue) => `00:${cue.replace(/(00:\d\d)\n/, '$1.000\n')}\n\n`).join('')}`;
    expect(read(text)).toEqual(['one line', 'another']);
  });

  test('of captions that roll with pauses each line is read once, and the copies are counted', async () => {
    const body = await readFile(join(import.meta.dirname, '../../fixtures/media/roll-up-with-gaps.vtt'));
    const { segments, letters } = readCaptions({ body, language: 'en' });
    expect(segments.map(({ text }) => text)).toEqual([
      'The meeting starts on Wednesday at four.',
      'Good evening and welcome to the class.',
      'In this chapter we talk about music and computers.',
      'Read page two of the green book.',
      'The quick red fox jumps over the old bird.',
      'Send the new report on Thursday.',
      'Thank you for listening to the old show.',
    ]);
    expect(letters.source).toBe(letters.delivered + letters.copies);
    expect(letters.copies).toBeGreaterThan(letters.delivered);
  });

  test('what captions say again is kept, unless they roll or hold it on the screen', () => {
    const cue = (from: number, to: number, text: string) => `00:0${from}.000 --> 00:0${to}.000\n${text}\n\n`;
    const again = `WEBVTT\n\n${cue(1, 2, 'No.')}${cue(4, 5, 'No.')}${cue(7, 8, 'No.\nI said no.')}`;
    expect(read(again)).toEqual(['No.', 'No.', 'No. I said no.']);
    expect(read(`WEBVTT\n\n${cue(1, 2, 'Held.')}${cue(2, 3, 'Held.')}`)).toEqual(['Held.']);
  });

  test('cues beyond the most are counted', () => {
    const cue = '00:01.000 --> 00:02.000\nWord\n\n';
    const { segments, letters } = readCaptions({
      body: Buffer.from(`WEBVTT\n\n${cue.repeat(100_003)}`),
      language: null,
    });
    expect(letters.beyond).toBe(3);
    expect(segments.length).toBeGreaterThan(0);
  });

  test('SubStation Alpha gives its text without styles, syllables and drawings, what layers repeat once', () => {
    const events = [
      'Comment: 0,0:00:00.00,0:00:01.00,Default,,0,0,0,,A note of who made it',
      'Dialogue: 0,0:00:03.50,0:00:05.00,Default,,0,0,0,karaoke,{\\an8}{\\k20}Su{\\k30}gar, {\\i1}and\\Nspice{\\i0}',
      'Dialogue: 0,0:00:01.25,0:00:03.00,Default,Ann,0,0,0,,Hello,\\hyou',
      'Dialogue: 1,0:00:01.25,0:00:03.00,Default,Ann,0,0,0,,Hello,\\hyou',
      'Dialogue: 0,0:00:01.00,0:00:09.00,Default,,0,0,0,,{\\p1}m 0 0 l 100 0{\\p0}',
    ];
    const head = '[Script Info]\r\nTitle: T\r\n\r\n[V4+ Styles]\r\nFormat: Name, Fontname\r\n\r\n[Events]\r\n';
    const format = 'Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text';
    const body = Buffer.from(head + [format, ...events].join('\r\n'));
    expect(readCaptions({ body, language: null }).segments).toEqual([
      { start: 1.25, end: 3, text: 'Hello, you' },
      { start: 3.5, end: 5, text: 'Sugar, and spice' },
    ]);
    expect(read('1\n00:00:01,000 --> 00:00:02,000\n{\\an8}Two\\Nlines\n')).toEqual(['Two lines']);
  });

  test('what somebody wrote is believed, however often it is said', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'quarry captions '));
    const captions = Array.from({ length: 6 }, (_, start) => ({ start, end: start + 1, text: '(No.)' }));
    const input = {
      captions,
      heard: captions,
      evidence: null,
      frames: [],
      turns: null,
      segmentLength: 900,
      language: 'en',
      outputFolder: folder,
    };
    const { segments, warnings } = await writeTranscript(input, UNWATCHED);
    expect([segments.length, warnings]).toEqual([6, []]);
    await rm(folder, { recursive: true });
  });

  test('captions win where both speak, and what was heard fills the rest', () => {
    const heard = [
      { start: 10, end: 20, text: 'Heard under a caption.' },
      { start: 70, end: 80, text: 'Heard alone.' },
    ];
    expect(mergeCaptions([caption], heard).map(({ text }) => text)).toEqual(['A caption.', 'Heard alone.']);
  });
});
