/**
 * How ffmpeg is made to open a file that a stranger sent. The threat is a playlist under a video's name: it would have
 * ffmpeg open other files of this machine, or addresses. Only files are opened, and only as containers that hold their
 * own data.
 */
const FORMATS = [
  'mov,matroska,avi,mpegts,mpeg,mpegvideo,ogg,flv,asf,mp3,wav,flac,aac,aiff,w64,amr,caf,au,wv,m4v,h264,hevc',
];

export const QUIET = ['-hide_banner', '-nostdin'];

export function untrustedInput(path: string): string[] {
  return [
    ...['-protocol_whitelist', 'file,pipe', '-format_whitelist', FORMATS.join(',')],
    // Who records several persons has a channel for each: ffmpeg would take the third of three for a bass speaker's.
    ...['-guess_layout_max', '2', '-i', `file:${path}`],
  ];
}
