/** Joins the sound of one file and the pictures of another, without encoding either. */

import { statSync } from 'node:fs';
import { AV_NOPTS_VALUE } from 'node-av/constants';
import { FFmpegError, FormatContext, type Packet, type Stream } from 'node-av/lib';
import { QuarryError } from '../../src-server/platform/errors.ts';
import { say } from '../../src-server/platform/text/say.ts';
import { type MediaFile, withMedia } from './media-file.ts';
import type { JoinTracksInput } from './tasks.ts';

const FAILED = say`The sound and the pictures of the stream could not be joined.`;

/** Writes a Matroska file and returns its size in bytes. Both files begin at zero and their offset. */
export async function joinTracks({ sound, pictures, targetPath }: JoinTracksInput): Promise<number> {
  await withMedia(sound, (heard) =>
    withMedia(pictures, async (seen) => {
      const [audio] = heard.audio;
      if (audio === undefined || seen.video === null) throw muxerFailure('A track is missing.');
      const output = new FormatContext();
      try {
        requireMuxerSuccess(output.allocOutputContext2(null, 'matroska', targetPath));
        const tracks = [
          new Track(output, heard, audio, sound.offsetSeconds),
          new Track(output, seen, seen.video, pictures.offsetSeconds),
        ];
        requireMuxerSuccess(output.openOutputSync());
        requireMuxerSuccess(output.writeHeaderSync());
        await writeAll(tracks);
        requireMuxerSuccess(output.writeTrailerSync());
      } finally {
        output.closeOutputSync();
        output.freeContext();
      }
    }),
  );
  return statSync(targetPath).size;
}

/** Writes the batches of the track that is behind, so that the muxer keeps few packets. */
async function writeAll(tracks: readonly Track[]): Promise<void> {
  for (let open = [...tracks]; open.length > 0; open = open.filter(({ isOpen }) => isOpen)) {
    const behind = open.reduce((least, track) => (track.seconds < least.seconds ? track : least));
    await behind.writeBatch();
  }
}

class Track {
  readonly #output: FormatContext;
  readonly #source: Stream;
  readonly #target: Stream;
  readonly #batches: AsyncGenerator<readonly Packet[]>;
  readonly #shift: bigint;
  isOpen = true;
  /** How far it is written. */
  seconds = 0;

  constructor(output: FormatContext, file: MediaFile, source: Stream, offsetSeconds: number) {
    const { num, den } = source.timeBase;
    this.#output = output;
    this.#source = source;
    this.#target = output.newStream(null);
    requireMuxerSuccess(source.codecpar.copy(this.#target.codecpar));
    // The tag of one container means something else in another.
    this.#target.codecpar.codecTag = 0;
    this.#target.timeBase = source.timeBase;
    this.#batches = file.readPacketBatches([source]);
    this.#shift = BigInt(Math.round(((offsetSeconds - file.startSeconds) * den) / num));
  }

  async writeBatch(): Promise<void> {
    const { value: packets = [], done } = await this.#batches.next();
    this.isOpen = done !== true;
    for (const packet of packets) this.#writeTrackPacket(packet);
  }

  #writeTrackPacket(packet: Packet): void {
    const time = packet.dts === AV_NOPTS_VALUE ? packet.pts : packet.dts;
    // Without any time there is no place for it.
    if (time === AV_NOPTS_VALUE) return;
    const { num, den } = this.#source.timeBase;
    this.seconds = (Number(time + this.#shift) * num) / den;
    if (packet.pts !== AV_NOPTS_VALUE) packet.pts += this.#shift;
    if (packet.dts !== AV_NOPTS_VALUE) packet.dts += this.#shift;
    packet.streamIndex = this.#target.index;
    packet.rescaleTs(this.#source.timeBase, this.#target.timeBase);
    packet.pos = -1n;
    requireMuxerSuccess(this.#output.interleavedWriteFrameSync(packet));
  }
}

function requireMuxerSuccess(code: number): void {
  if (code < 0) throw muxerFailure(FFmpegError.strerror(code));
}

function muxerFailure(cause: string): QuarryError {
  return new QuarryError('engine_failed', FAILED, { cause });
}
