/**
 * How ffmpeg is made to open a file that a stranger sent. The threat is a playlist under a video's name: it would have
 * ffmpeg open other files of this machine, or addresses. Only files are opened, and only as containers that hold their
 * own data.
 */
import type { ByteRange } from './ogg-links.ts';

const FORMATS = [
  'mov,matroska,avi,mpegts,mpeg,mpegvideo,ogg,flv,asf,mp3,wav,flac,aac,aiff,w64,amr,caf,au,wv,m4v,h264,hevc',
];

export const QUIET = ['-hide_banner', '-nostdin'];

/** @param range the bytes of the file that are read as if they were one by themselves. */
export function untrustedInput(path: string, range?: ByteRange): string[] {
  const part = range === undefined ? '' : `subfile,,start,${range.start},end,${range.end},,:`;
  const protocols = range === undefined ? 'file,pipe' : 'file,pipe,subfile';
  return [
    ...['-protocol_whitelist', protocols, '-format_whitelist', FORMATS.join(',')],
    // Who records several persons has a channel for each: ffmpeg would take the third of three for a bass speaker's.
    ...['-guess_layout_max', '2', '-i', `${part}file:${path}`],
  ];
}
