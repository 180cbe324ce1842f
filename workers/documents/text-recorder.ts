/** Characters kept of a text that a comment is attached to or that was inserted. */
const MAX_CHARACTERS = 2000;
/** Texts that may be recorded at once; those beyond are not. */
const MAX_OPEN = 100;

interface Recording {
  pieces: string[];
  length: number;
}

/** Remembers the text between two places of a document, by id; places may overlap. */
export class TextRecorder {
  readonly #open = new Map<string, Recording>();

  get isRecording(): boolean {
    return this.#open.size > 0;
  }

  begin(id: string): void {
    if (this.#open.size < MAX_OPEN) this.#open.set(id, { pieces: [], length: 0 });
  }

  see(text: string): void {
    for (const recording of this.#open.values()) {
      if (recording.length >= MAX_CHARACTERS) continue;
      recording.pieces.push(text.slice(0, MAX_CHARACTERS - recording.length));
      recording.length += text.length;
    }
  }

  /** The text since the beginning, or null when nothing of that id was recorded. */
  end(id: string): string | null {
    const recording = this.#open.get(id);
    this.#open.delete(id);
    return recording === undefined ? null : recording.pieces.join('');
  }

  get openIds(): string[] {
    return [...this.#open.keys()];
  }
}
