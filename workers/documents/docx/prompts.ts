import { walkXml, type XmlBudget } from '../xml.ts';
import type { OfficePackage } from '../zip-package.ts';

/** The prompt of an open content control, which all controls inside it share. */
export interface ShownPrompt {
  /** The building block that the control states; null without one. */
  name: string | null;
  /** Letters of the prompt that the text has had so far. */
  position: number;
  /** Whether the text is not the prompt: a program typed it and left the flag of the prompt. */
  isTyped: boolean;
}

/** The letters of the prompts, by the name of their building block; read when a document first asks. */
export class PromptTexts {
  readonly #source: OfficePackage;
  readonly #part: string;
  readonly #budget: XmlBudget;
  #texts: Map<string, string> | null = null;

  /** @param part the part of building blocks, which need not exist */
  constructor(source: OfficePackage, part: string, budget: XmlBudget) {
    this.#source = source;
    this.#part = part;
    this.#budget = budget;
  }

  /** Whether text of a control belongs to its prompt. One that is not known is taken for the prompt. */
  takesPromptText(shown: ShownPrompt, text: string): boolean {
    if (shown.isTyped) return false;
    this.#texts ??= readPrompts(this.#source.read(this.#part), this.#budget);
    const prompt = shown.name === null ? undefined : this.#texts.get(shown.name);
    if (prompt === undefined) return true;
    const letters = text.replace(/\s+/g, '');
    shown.isTyped = !prompt.startsWith(letters, shown.position);
    shown.position += letters.length;
    return !shown.isTyped;
  }
}

function readPrompts(bytes: Buffer | null, budget: XmlBudget): Map<string, string> {
  const texts = new Map<string, string>();
  let name = '';
  let letters = '';
  let isText = false;
  if (bytes === null) return texts;
  walkXml(bytes, budget, {
    open(element) {
      if (element.name === 'w:docPart') letters = '';
      else if (element.name === 'w:name') name = element.attributeValue('val') ?? '';
      isText = element.name === 'w:t';
    },
    text(text) {
      if (isText) letters += text.replace(/\s+/g, '');
    },
    close(element) {
      isText = false;
      if (element.name === 'w:docPart') texts.set(name, letters);
    },
  });
  return texts;
}
