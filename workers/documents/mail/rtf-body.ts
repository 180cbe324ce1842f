/**
 * Bodies of Outlook messages as compressed RTF ([MS-OXRTFCP]), and HTML that is wrapped in RTF ([MS-OXRTFEX]). Threat:
 * stated sizes, references that expand, nested groups. The output is bounded by the bytes present, since a reference
 * gives at most 17 bytes for two, and the depth of groups is bounded.
 */

import { decodePage } from '../../../src-server/platform/text/decode-text.ts';
import { type RtfHandler, scanRtf } from '../rtf/scan.ts';
import { CHARACTER_WORDS, SKIPPED_DESTINATIONS } from '../rtf/state.ts';
import { RtfTables } from '../rtf/tables.ts';

const HEADER_BYTES = 16;

/** `LZFu`, little-endian. */
const COMPRESSED = 0x75465a4c;

/** `MELA`: stored as it is. */
const STORED = 0x414c454d;

const WINDOW_BYTES = 4096;

const REFERENCE_BYTES_MIN = 2;

/** The window's first content, as the specification gives it. */
const DICTIONARY =
  '{\\rtf1\\ansi\\mac\\deff0\\deftab720{\\fonttbl;}{\\f0\\fnil \\froman \\fswiss \\fmodern \\fscript \\fdecor MS ' +
  'Sans SerifSymbolArialTimes New RomanCourier{\\colortbl\\red0\\green0\\blue0\r\n\\par \\pard\\plain\\f0\\fs20\\b\\i' +
  '\\u\\tab\\tx';

/** The RTF of a compressed body; null if it is damaged. A truncated one gives what is there. */
export function decompressRtf(bytes: Buffer): Buffer | null {
  if (bytes.length < HEADER_BYTES) return null;
  const type = bytes.readUInt32LE(8);
  if (type === STORED) return bytes.subarray(HEADER_BYTES, HEADER_BYTES + bytes.readUInt32LE(4));
  return type === COMPRESSED ? expandCompressedRtf(bytes) : null;
}

function expandCompressedRtf(bytes: Buffer): Buffer {
  const window = Buffer.alloc(WINDOW_BYTES);
  let to = window.write(DICTIONARY, 'latin1');
  const output: number[] = [];
  const putExpandedByte = (value: number) => {
    output.push(value);
    window[to] = value;
    to = (to + 1) % WINDOW_BYTES;
  };
  let at = HEADER_BYTES;
  while (at < bytes.length) {
    const flags = bytes[at] ?? 0;
    at += 1;
    for (let bit = 0; bit < 8 && at < bytes.length; bit += 1) {
      if ((flags & (1 << bit)) === 0) {
        putExpandedByte(bytes[at] ?? 0);
        at += 1;
        continue;
      }
      if (at + 1 >= bytes.length) return Buffer.from(output);
      const reference = bytes.readUInt16BE(at);
      at += 2;
      const from = reference >> 4;
      // A reference to the place of writing ends the text.
      if (from === to) return Buffer.from(output);
      const length = (reference & 0xf) + REFERENCE_BYTES_MIN;
      for (let step = 0; step < length; step += 1) putExpandedByte(window[(from + step) % WINDOW_BYTES] ?? 0);
    }
  }
  return Buffer.from(output);
}

/** Where RTF states that it wraps HTML. */
const START_BYTES = 1024;

const MAX_DEPTH = 1000;

const ANSI_PAGE = 1252;

/** The HTML that RTF wraps; null for other RTF. */
export function htmlInRtf(rtf: Buffer): string | null {
  if (!/\\fromhtml1?\b/.test(rtf.toString('latin1', 0, START_BYTES))) return null;
  const reader = new WrappedHtml();
  scanRtf(rtf, reader);
  return reader.finishWrappedHtml();
}

interface GroupState {
  use: 'html' | 'skip' | 'fonts';
  /** For readers of RTF alone. */
  isSuppressed: boolean;
  isAtStart: boolean;
  isStarred: boolean;
  font: number | null;
  fallbackBytes: number;
}

const LINE_WORDS = new Set(['par', 'line']);

class WrappedHtml implements RtfHandler {
  readonly #stack: GroupState[] = [];
  readonly #tables = new RtfTables();
  readonly #pieces: string[] = [];
  #page = ANSI_PAGE;
  #bytes: number[] = [];
  #fallbackLeft = 0;
  #state: GroupState = {
    use: 'html',
    isSuppressed: false,
    isAtStart: true,
    isStarred: false,
    font: null,
    fallbackBytes: 1,
  };

  open(): void {
    this.#flushHtmlBytes();
    // Deeper groups share the state of the last one.
    if (this.#stack.length < MAX_DEPTH) this.#stack.push({ ...this.#state });
    this.#state = { ...this.#state, isAtStart: true, isStarred: false };
  }

  close(): void {
    this.#flushHtmlBytes();
    this.#state = this.#stack.pop() ?? this.#state;
  }

  word(name: string, parameter: number | null): void {
    this.#flushHtmlBytes();
    const state = this.#state;
    const isFirst = state.isAtStart;
    state.isAtStart = false;
    if (state.use === 'skip') return;
    if (isFirst && this.#opensGroupPurpose(name, state)) return;
    if (name === 'htmlrtf') state.isSuppressed = parameter !== 0;
    else if (!this.#setProperty(name, parameter ?? 0, state) && state.use === 'html' && !state.isSuppressed) {
      if (LINE_WORDS.has(name)) this.#pieces.push('\n');
      else this.#pieces.push(CHARACTER_WORDS.get(name) ?? '');
    }
  }

  symbol(character: string): void {
    if (character === '{' || character === '}' || character === '\\') {
      this.byte(character.charCodeAt(0));
      return;
    }
    this.#flushHtmlBytes();
    const state = this.#state;
    if (character === '*') {
      state.isStarred = true;
      return;
    }
    state.isAtStart = false;
    if (state.use !== 'html' || state.isSuppressed) return;
    if (character === '~') this.#pieces.push('&nbsp;');
    else if (character === '_') this.#pieces.push('\u2011');
    else if (character === '-') this.#pieces.push('&shy;');
  }

  byte(value: number): void {
    const state = this.#state;
    state.isAtStart = false;
    if (this.#fallbackLeft > 0) this.#fallbackLeft -= 1;
    else if (state.use === 'html' && !state.isSuppressed) this.#bytes.push(value);
  }

  finishWrappedHtml(): string {
    this.#flushHtmlBytes();
    return this.#pieces.join('');
  }

  /** Whether the first word of a group states its purpose. */
  #opensGroupPurpose(name: string, state: GroupState): boolean {
    if (name === 'fonttbl') state.use = 'fonts';
    else if (name === 'htmltag') state.isSuppressed = false;
    else if (state.isStarred || SKIPPED_DESTINATIONS.has(name) || name === 'stylesheet' || name === 'info') {
      state.use = 'skip';
    } else return false;
    return true;
  }

  #setProperty(name: string, value: number, state: GroupState): boolean {
    switch (name) {
      case 'ansicpg':
        this.#page = value > 0 ? value : ANSI_PAGE;
        return true;
      case 'f':
        state.font = value;
        return true;
      case 'fcharset':
        if (state.use === 'fonts' && state.font !== null) this.#tables.setCharset(state.font, value);
        return true;
      case 'cpg':
        if (state.use === 'fonts' && state.font !== null) this.#tables.setPage(state.font, value);
        return true;
      case 'uc':
        state.fallbackBytes = Math.max(0, value);
        return true;
      case 'u':
        if (state.use === 'html' && !state.isSuppressed) this.#pieces.push(String.fromCharCode(value & 0xffff));
        this.#fallbackLeft = state.fallbackBytes;
        return true;
      default:
        return false;
    }
  }

  #flushHtmlBytes(): void {
    if (this.#bytes.length === 0) return;
    const page = this.#tables.fontCodePage(this.#state.font) ?? this.#page;
    this.#pieces.push(decodePage(Uint8Array.from(this.#bytes), page));
    this.#bytes = [];
  }
}
