/** The packages have no types. These files declare only what is used. */
declare module 'm3u8-parser' {
  export class Parser {
    manifest: import('./read-playlist.ts').Manifest;
    push(text: string): void;
    end(): void;
  }
}

declare module 'mpd-parser' {
  export function parse(text: string, options: { manifestUri: string }): import('./read-playlist.ts').Manifest;
}
