import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { haveGaps } from '../../src-server/engines/hosted-video/caption-gaps.ts';
import { failureOf } from '../../src-server/engines/hosted-video/yt-dlp.ts';
import { mergeCaptions } from '../../workers/media/merge-captions.ts';
import { readCaptions } from '../../workers/tasks/read-captions.ts';
import { writeTranscript } from '../../workers/tasks/write-transcript.ts';
import { UNWATCHED } from '../harness/task-context.ts';

describe('what yt-dlp says becomes an error with advice', () => {
  test.for([
    ['ERROR: [youtube] x: Private video. Sign in if you’ve been granted access', 'source_forbidden', 'private'],
    ['ERROR: [youtube] x: Sign in to confirm your age. This video may be inappropriate', 'source_forbidden', 'adults'],
    ['ERROR: [youtube] x: Sign in to confirm you’re not a bot.', 'source_forbidden', 'machine'],
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
    ['ERROR: something that nobody has seen', 'engine_failed', 'Update yt-dlp'],
  ] as const)('%s', ([said, code, words]) => {
    const error = failureOf(`WARNING: noise\n${said}\n`);
    expect(error.code).toBe(code);
    expect(error.message).toContain(words);
  });
});

describe('captions and what was heard', () => {
  const caption = { start: 0, end: 60, text: 'A caption.' };
  test('captions that leave out a tenth of the video are not whole', () => {
    expect(haveGaps([caption], 65)).toBe(false);
    expect(haveGaps([caption], 600)).toBe(true);
    expect(haveGaps([{ start: 0, end: 600, text: 'x' }], null)).toBe(false);
  });

  const read = (text: string) => {
    const { segments } = readCaptions({ body: Buffer.from(text), language: null });
    return segments.map((segment) => segment.text);
  };

  test('cues that nothing sets apart are told apart by their times, and signs are what HTML calls them', () => {
    const text = '1\n00:00:01,000 --> 00:00:02,000\nIt&#8217;s &eacute;\n2\n00:00:02,000 --> 00:00:03,000\nTwo\n';
    expect(read(text)).toEqual(['It’s é', 'Two']);
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
    const input = { captions, heard: captions, frames: [], segmentLength: 900, language: 'en', outputFolder: folder };
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
