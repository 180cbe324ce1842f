/** Takes one frame per interval for reading, and a small grey copy of each for comparison. */

import { closeSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import {
  AV_CODEC_FLAG_QSCALE,
  AV_CODEC_ID_MJPEG,
  AV_PIX_FMT_YUVJ420P,
  AVERROR_EAGAIN,
  AVERROR_EOF,
  type AVPixelFormat,
  FF_QP2LAMBDA,
} from 'node-av/constants';
import {
  avGetPixFmtName,
  Codec,
  CodecContext,
  type FilterContext,
  type FilterGraph,
  Frame,
  Packet,
  Rational,
} from 'node-av/lib';
import { QuarryError } from '../../src-server/platform/errors.ts';
import { say } from '../../src-server/platform/text/say.ts';
import { openGraph } from './decode-sound.ts';
import { mediaFailure, packetEndSeconds, StreamDecoder, turningFilters, withMedia } from './media-file.ts';
import type { ByteRange, PicturePart, Pictures, TakePicturesInput } from './tasks.ts';

const PROGRESS_INTERVAL_MS = 200;

/** FFmpeg's scale for JPEG, from 2 (best) to 31. */
const JPEG_QUALITY = 3;

const DAMAGED = say`No picture of the video could be read. Send an intact copy.`;

/** Errors: those of the file; of one in parts, only those that concern all. */
export async function takePictures(input: TakePicturesInput, onSeconds: (seconds: number) => void): Promise<Pictures> {
  const { folder, clockRunsOn, parts, thumbnailsName } = input;
  const thumbnails = openSync(join(folder, thumbnailsName), 'w');
  const taker = new PictureTaker(input, thumbnails, onSeconds);
  try {
    if (parts === undefined) await taker.takePictureFrame({ range: null, startSeconds: 0, clockRunsOn });
    for (const [index, part] of (parts ?? []).entries()) {
      try {
        await taker.takePictureFrame(part);
      } catch (error) {
        if (!(error instanceof QuarryError) || error.code !== 'corrupt_input') throw error;
        taker.unreadParts.push(index);
      }
    }
  } finally {
    closeSync(thumbnails);
  }
  const { names, unreadParts, endSeconds, damage } = taker;
  const seconds = taker.seconds.map((time) => Math.max(0, time));
  return { names, seconds, unreadParts, decoded: { startSeconds: 0, endSeconds, soundSeconds: 0, gaps: [], damage } };
}

type Place = Pick<PicturePart, 'startSeconds' | 'clockRunsOn'> & { range: ByteRange | null; endSeconds?: number };

/** Takes the pictures of one part after the other. */
class PictureTaker {
  readonly #input: TakePicturesInput;
  readonly #thumbnails: number;
  readonly #onSeconds: (seconds: number) => void;
  readonly names: string[] = [];
  readonly seconds: number[] = [];
  readonly unreadParts: number[] = [];
  readonly damage = { parts: 0, places: 0 };
  endSeconds = 0;
  #reportedAt = performance.now();

  constructor(input: TakePicturesInput, thumbnails: number, onSeconds: (seconds: number) => void) {
    this.#input = input;
    this.#thumbnails = thumbnails;
    this.#onSeconds = onSeconds;
  }

  /** Errors: `corrupt_input` where no picture can be read, `out_of_memory`. */
  async takePictureFrame({ range, startSeconds: from, endSeconds: to = Number.POSITIVE_INFINITY, clockRunsOn }: Place) {
    const { path, keyFramesOnly, picturesMax } = this.#input;
    const shownBefore = this.endSeconds;
    await withMedia({ path, range, clockRunsOn }, async (file) => {
      const { video, startSeconds } = file;
      if (video === null) throw mediaFailure(0, DAMAGED);
      const decoder = new StreamDecoder(video, startSeconds, { keyFramesOnly });
      const graph = new PictureGraph(this.#input, turningFilters(video));
      const onFrame = (frame: Frame, time: number) => {
        const at = from + time;
        if (at < to) this.#add(graph, frame, at);
      };
      for await (const packets of file.readPacketBatches([video])) {
        for (const packet of packets) {
          // Without more pictures to take, only the end of the track is of interest.
          if (this.names.length < picturesMax) decoder.decodePacket(packet, onFrame);
          this.endSeconds = Math.max(this.endSeconds, from + (packetEndSeconds(packet, video, startSeconds) ?? 0));
        }
        if (performance.now() - this.#reportedAt < PROGRESS_INTERVAL_MS) continue;
        this.#reportedAt = performance.now();
        this.#onSeconds(this.endSeconds);
      }
      decoder.decodePacket(null, onFrame);
      graph.close();
      this.damage.parts += decoder.damagedParts;
      this.damage.places += file.damagedPlaces;
      if (range !== null && this.endSeconds === shownBefore) throw mediaFailure(0, DAMAGED);
    });
  }

  #add(graph: PictureGraph, frame: Frame, at: number): void {
    const { folder, intervalSeconds, picturesMax } = this.#input;
    const last = this.seconds.at(-1);
    if (this.names.length >= picturesMax || (last !== undefined && at - last < intervalSeconds)) return;
    const { jpeg, grey } = graph.convertPicture(frame);
    const name = `frame-${String(this.names.length + 1).padStart(4, '0')}.jpg`;
    writeFileSync(join(folder, name), jpeg);
    writeSync(this.#thumbnails, grey);
    this.names.push(name);
    this.seconds.push(at);
  }
}

/** Turns, scales and encodes single frames. Frames of another format get filters of their own. */
export class PictureGraph {
  readonly #input: Pick<TakePicturesInput, 'widthMax' | 'thumbnail'>;
  readonly #turning: readonly string[];
  readonly #large = new Frame();
  readonly #small = new Frame();
  #format = '';
  #graph: FilterGraph | null = null;
  #source: FilterContext | null = null;
  #sinks: { large: FilterContext | null; small: FilterContext | null } = { large: null, small: null };

  constructor(input: Pick<TakePicturesInput, 'widthMax' | 'thumbnail'>, turning: readonly string[]) {
    this.#input = input;
    this.#turning = turning;
    this.#large.alloc();
    this.#small.alloc();
  }

  close(): void {
    this.#graph?.free();
    this.#graph = null;
  }

  convertPicture(frame: Frame): { jpeg: Buffer; grey: Buffer } {
    this.#openFor(frame);
    frame.pts = 0n;
    const added = this.#source?.buffersrcAddFrameSync(frame) ?? 0;
    if (added < 0) throw mediaFailure(added, DAMAGED);
    take(this.#sinks.large, this.#large);
    take(this.#sinks.small, this.#small);
    const made = { jpeg: encodeJpeg(this.#large), grey: this.#small.toBuffer() };
    this.#large.unref();
    this.#small.unref();
    return made;
  }

  #openFor({ width, height, format, colorSpace, colorRange }: Frame): void {
    const source =
      `video_size=${width}x${height}:pix_fmt=${avGetPixFmtName(format as AVPixelFormat)}:time_base=1/1:` +
      `colorspace=${colorSpace}:range=${colorRange}`;
    if (source === this.#format) return;
    this.#graph?.free();
    const { widthMax, thumbnail } = this.#input;
    const before = [`buffer@in=${source}`, ...this.#turning, 'split[a][b]'].join(',');
    const large = `[a]scale='min(${widthMax},iw)':-2,format=yuvj420p,buffersink@large`;
    const small = `[b]scale=${thumbnail.width}:${thumbnail.height}:flags=area,format=gray,buffersink@small`;
    this.#graph = openGraph(`${before};${large};${small}`);
    this.#source = this.#graph.getFilter('buffer@in');
    this.#sinks = {
      large: this.#graph.getFilter('buffersink@large'),
      small: this.#graph.getFilter('buffersink@small'),
    };
    this.#format = source;
  }
}

function take(sink: FilterContext | null, frame: Frame): void {
  const code = sink?.buffersinkGetFrameSync(frame) ?? AVERROR_EOF;
  if (code < 0) throw mediaFailure(code, DAMAGED);
}

function encodeJpeg(frame: Frame): Buffer {
  using context = new CodecContext();
  const codec = Codec.findEncoder(AV_CODEC_ID_MJPEG);
  context.allocContext3(codec);
  context.width = frame.width;
  context.height = frame.height;
  context.pixelFormat = AV_PIX_FMT_YUVJ420P;
  context.timeBase = new Rational(1, 1);
  context.setFlags(AV_CODEC_FLAG_QSCALE);
  context.globalQuality = JPEG_QUALITY * FF_QP2LAMBDA;
  frame.quality = JPEG_QUALITY * FF_QP2LAMBDA;
  using packet = new Packet();
  packet.alloc();
  for (const step of [
    () => context.open2Sync(codec),
    () => context.sendFrameSync(frame),
    () => context.sendFrameSync(null),
    () => context.receivePacketSync(packet),
  ]) {
    const code = step();
    if (code < 0 && code !== AVERROR_EAGAIN) throw mediaFailure(code, DAMAGED);
  }
  return Buffer.from(packet.data ?? []);
}
