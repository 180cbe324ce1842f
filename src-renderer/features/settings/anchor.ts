/** Identifier of a setting in the page, which the search leads to. */
export function anchorOf(label: string): string {
  return label.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '-');
}
