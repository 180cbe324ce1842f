import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalJson, canonicalText } from '../../src-server/platform/text/canonical-json.ts';

describe('canonical text', () => {
  test('is byte for byte the RFC 8785 form of any JSON value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value);
        expect(canonicalText(text)).toBe(canonicalJson(JSON.parse(text)));
      }),
    );
  });

  test('puts names that are numbers, or __proto__, in the order of their text', () => {
    expect(canonicalText('{"b":1,"9":2,"10":{"z":1,"a":2}}')).toBe('{"10":{"a":2,"z":1},"9":2,"b":1}');
    expect(canonicalText('{"b":1,"__proto__":{"z":1,"a":2}}')).toBe('{"__proto__":{"a":2,"z":1},"b":1}');
    expect(canonicalText('{"__proto__":{"z":1,"a":2}}')).toBe('{"__proto__":{"a":2,"z":1}}');
  });

  test('has U+FFFD where text has half of a surrogate pair, and leaves a text that spells one alone', () => {
    expect(canonicalText('{"b":"\\ud800","a":1}')).toBe('{"a":1,"b":"\ufffd"}');
    expect(canonicalText('{"b":"\\\\ud800","a":1}')).toBe('{"a":1,"b":"\\\\ud800"}');
  });
});
