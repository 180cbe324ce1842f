import { closeSign, type InlineValues } from '../inline-marks.ts';

/** A formula that shows a text or its address as a link; the address is written in the formula. */
const LINK_FORMULA = /^\s*(?:\w+:)?=?\s*HYPERLINK\(\s*"((?:[^"]|""){1,4096})"\s*[,;)]/i;

/** The address of a formula that makes its cell a link; null for other formulas, and for computed addresses. */
export function addressOfFormula(formula: string): string | null {
  return LINK_FORMULA.exec(formula)?.[1]?.replaceAll('""', '"') ?? null;
}

/** The text of a cell as a link; only the text if no reader may follow the address. */
export function linkedText(text: string, url: string | null, inline: InlineValues): string {
  const open = url === null || text.trim() === '' ? null : inline.openLink(url);
  return open === null ? text : open + text + closeSign('link');
}
