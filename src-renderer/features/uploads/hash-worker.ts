/** SHA-256 of a file, away from the page and piece by piece: a video does not fit into memory. */
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';

const PIECE_BYTES = 4_194_304;

self.addEventListener('message', ({ data: file }: MessageEvent<File>) => {
  hashFile(file).then(
    (hash) => self.postMessage({ hash }),
    // The file may be moved or changed meanwhile.
    () => self.postMessage({ hash: null }),
  );
});

async function hashFile(file: File): Promise<string> {
  const hash = sha256.create();
  for (let start = 0; start < file.size; start += PIECE_BYTES) {
    hash.update(new Uint8Array(await file.slice(start, start + PIECE_BYTES).arrayBuffer()));
    self.postMessage({ share: Math.min(1, (start + PIECE_BYTES) / file.size) });
  }
  return bytesToHex(hash.digest());
}
