import { hex } from 'dingbat-to-unicode';

/** Fonts such as Symbol and Wingdings also stand in Unicode's private area, at F000 and what the font calls it. */
const PRIVATE_CODE = /^F0(..)$/i;

/** The character that a symbol of a font stands for; empty where it stands for none. */
export function symbolText(font: string, code: string): string {
  const inFont = PRIVATE_CODE.exec(code)?.[1];
  return (hex(font, code) ?? (inFont === undefined ? undefined : hex(font, inFont)))?.string ?? '';
}
