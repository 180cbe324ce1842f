/** Names that tell an embedding model from one that writes text: nothing else in a list of models does. */
const EMBEDS = /embed|minilm|\bbge\b|\be5\b/i;

export function namesEmbedding(name: string): boolean {
  return EMBEDS.test(name);
}
