import { describe, expect, test } from 'vitest';
import { QuarryError } from '../../src-server/platform/errors.ts';
import { serializeError } from '../../src-server/platform/log.ts';
import { say } from '../../src-server/platform/text/say.ts';

const SIGNED = 'https://user:pass-word@files.example/a/talk.mp4?sig=SIGNATURE&x=1#part';

describe('an error in the log', () => {
  test.each([
    ['as text, from another thread', `ERROR: Unsupported URL: ${SIGNED}`],
    ['as an error', new Error(`Cannot fetch "${SIGNED}" (twice: ${SIGNED}).`)],
    ['as an error with a cause of its own', new Error('It failed.', { cause: new Error(SIGNED) })],
  ])('keeps its cause %s, but no credentials and no query of an address', (_what, cause) => {
    const line = JSON.stringify(serializeError(new QuarryError('source_unreachable', say`No video.`, { cause })));
    expect(line).toContain('files.example/a/talk.mp4?[redacted]');
    expect(line).toContain('No video.');
    expect(line).not.toMatch(/SIGNATURE|pass-word|user:/);
  });

  test('keeps an address that has nothing to hide', () => {
    const error = new Error('See https://example.com/why, or the file log.ts:12:3.');
    expect(serializeError(error)).toMatchObject({ message: error.message });
  });
});
