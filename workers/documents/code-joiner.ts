import type { DocumentBuilder, NewBlock } from './document-builder.ts';

/** Word processors keep code as one paragraph a line: lines that follow each other are one block. */
export class CodeJoiner {
  readonly #builder: DocumentBuilder;
  #lines: string[] = [];
  #page = 1;

  constructor(builder: DocumentBuilder) {
    this.#builder = builder;
  }

  add(block: NewBlock, page: number): void {
    if (block.kind === 'code') {
      if (this.#lines.length === 0) this.#page = page;
      this.#lines.push(block.text);
      return;
    }
    this.flush();
    this.#builder.add(block, page);
  }

  flush(): void {
    if (this.#lines.length > 0) this.#builder.add({ kind: 'code', text: this.#lines.join('\n') }, this.#page);
    this.#lines = [];
  }
}
