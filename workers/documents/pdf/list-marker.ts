/** What a list item begins with: a bullet, or a number or letter with a full stop or bracket. */
const BULLET = /^([•◦▪▫‣⁃●○■□►➢✓❖∙·\uF0A7\uF0A8\uF0B7\uF0D8\uF0FC\uF076]|[–—*-](?=\s))\s*(?=\S)/u;
const NUMBER = /^(\(?(?:\d{1,3}|[a-zA-Z]|[ivx]{1,5})[.)])\s+(?=\S)/u;
/** Word's bullet of the second level, which is a letter. */
const LETTER_BULLET = 'o';

export interface ListMarker {
  marker: string;
  /** Length of the marker and the space after it. */
  length: number;
  bullet: boolean;
}

export function listMarkerOf(text: string): ListMarker | null {
  const bullet = BULLET.exec(text);
  if (bullet !== null) return { marker: bullet[1] ?? '', length: bullet[0].length, bullet: true };
  const number = NUMBER.exec(text);
  return number === null ? null : { marker: number[1] ?? '', length: number[0].length, bullet: false };
}

/** The marker of an item whose first line is the marker alone. */
export function markerApart(first: string, text: string): ListMarker | null {
  if (first !== LETTER_BULLET || !text.startsWith(`${first} `)) return listMarkerOf(text);
  return { marker: first, length: first.length + 1, bullet: true };
}

/** Whether a line is nothing but a marker: one that stands so far from its item that they are lines of their own. */
export function isLoneMarker(text: string): boolean {
  return text === LETTER_BULLET || listMarkerOf(`${text} .`)?.length === text.length + 1;
}
