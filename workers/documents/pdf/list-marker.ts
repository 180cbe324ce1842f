/** What a list item begins with: a bullet, or a number or letter with a full stop or bracket. */
const BULLET = /^([•◦▪▫‣⁃●○■□►➢✓❖∙·]|[–—*-](?=\s))\s*(?=\S)/u;
const NUMBER = /^(\(?(?:\d{1,3}|[a-zA-Z]|[ivx]{1,5})[.)])\s+(?=\S)/u;

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
