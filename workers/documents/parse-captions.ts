import { QuarryError } from '../../src-server/platform/errors.ts';
import { say } from '../../src-server/platform/text/say.ts';
import { parseCaptions } from '../media/read-captions.ts';
import type { CueTime, DocumentParser } from './blocks.ts';
import { DocumentBuilder } from './document-builder.ts';
import { decodeTextFile } from './parse-text.ts';

/** A silence that ends a paragraph. */
const PAUSE_SECONDS = 3;

/** A paragraph ends at the first sentence end past this length, and anywhere past the bound. */
const PARAGRAPH_CHARS = 300;

const PARAGRAPH_CHARS_MAX = 800;

const ENDS_SENTENCE = /[.!?…。！？]["'”’)\]]*$/u;

/** WebVTT and SubRip: the spoken text in paragraphs, with the times of its cues. Errors: `corrupt_input`. */
export function captionParser(format: 'srt' | 'vtt'): DocumentParser {
  return async (bytes, options) => {
    const builder = new DocumentBuilder(options);
    const { segments: cues, beyond } = parseCaptions(decodeTextFile(bytes, options.language, builder));
    if (cues.length === 0) throw new QuarryError('corrupt_input', say`The captions have no text with times.`);
    if (beyond > 0) builder.addWarning(say`The file has too many cues: the last ${beyond} were left out.`);
    let paragraph = new CueParagraph();
    for (const { start, end, text } of cues) {
      builder.checkCancellation();
      if (paragraph.endsBefore(start)) {
        paragraph.addTo(builder);
        paragraph = new CueParagraph();
      }
      paragraph.addCueText(text.normalize('NFC'), start, end);
    }
    paragraph.addTo(builder);
    return builder.buildNormalizedDocument({ format });
  };
}

class CueParagraph {
  #text = '';
  readonly #cues: CueTime[] = [];

  endsBefore(startSeconds: number): boolean {
    const last = this.#cues.at(-1);
    if (last === undefined) return false;
    const { length } = this.#text;
    if (startSeconds - last.endSeconds > PAUSE_SECONDS || length > PARAGRAPH_CHARS_MAX) return true;
    return length > PARAGRAPH_CHARS && ENDS_SENTENCE.test(this.#text);
  }

  addCueText(text: string, startSeconds: number, endSeconds: number): void {
    if (this.#text !== '') this.#text += ' ';
    this.#cues.push({ at: this.#text.length, startSeconds, endSeconds });
    this.#text += text;
  }

  addTo(builder: DocumentBuilder): void {
    builder.addDocumentBlock({ kind: 'paragraph', text: this.#text, cues: this.#cues });
  }
}
