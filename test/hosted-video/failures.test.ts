import { describe, expect, test } from 'vitest';
import { haveGaps, mergeCaptions } from '../../src-server/engines/hosted-video/merge-captions.ts';
import { failureOf } from '../../src-server/engines/hosted-video/yt-dlp.ts';

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

  test('captions win where both speak, and what was heard fills the rest', () => {
    const heard = [
      { start: 10, end: 20, text: 'Heard under a caption.' },
      { start: 70, end: 80, text: 'Heard alone.' },
    ];
    expect(mergeCaptions([caption], heard).map(({ text }) => text)).toEqual(['A caption.', 'Heard alone.']);
  });
});
