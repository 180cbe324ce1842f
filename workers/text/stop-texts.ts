/**
 * Ends a text before a stop text. The engine's own triggers compare single tokens, whose text has no leading space, so
 * they miss stop texts that begin with one.
 */
export class StopTexts {
  readonly #stops: readonly string[];
  readonly #emit: (text: string) => void;
  readonly #onStop: () => void;
  /** The end of the text, which may become a stop text. */
  #held = '';
  #content = '';
  #isOver = false;

  constructor(stops: readonly string[], emit: (text: string) => void, onStop: () => void) {
    this.#stops = stops;
    this.#emit = emit;
    this.#onStop = onStop;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  addGeneratedText(text: string): void {
    if (this.#isOver) return;
    this.#held += text;
    const found = this.#stops.map((stop) => this.#held.indexOf(stop)).filter((at) => at >= 0);
    this.#isOver = found.length > 0;
    this.#passGeneratedText(this.#isOver ? Math.min(...found) : this.#held.length - this.#begunChars());
    if (this.#isOver) this.#onStop();
  }

  /** The whole text, without the stop text. */
  endGeneratedText(): string {
    if (!this.#isOver) this.#passGeneratedText(this.#held.length);
    return this.#content;
  }

  #passGeneratedText(chars: number): void {
    const text = this.#held.slice(0, chars);
    this.#held = this.#held.slice(chars);
    this.#content += text;
    if (text !== '') this.#emit(text);
  }

  /** Length of the longest end that begins a stop text. */
  #begunChars(): number {
    const lengths = this.#stops.map((stop) => {
      for (let length = Math.min(stop.length - 1, this.#held.length); length > 0; length -= 1) {
        if (this.#held.endsWith(stop.slice(0, length))) return length;
      }
      return 0;
    });
    return Math.max(0, ...lengths);
  }
}
