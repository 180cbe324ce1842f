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
import { openGraph } from './decode-sound.ts';
import { mediaFailure, packetEndSeconds, StreamDecoder, turningFilters, withMedia } from './media-file.ts';
import type { Pictures, TakePicturesInput } from './tasks.ts';

const PROGRESS_INTERVAL_MS = 200;

/** FFmpeg's scale for JPEG, from 2 (best) to 31. */
const JPEG_QUALITY = 3;

const DAMAGED = 'No picture of the video could be read. Send an intact copy.';

export async function takePictures(input: TakePicturesInput, onSeconds: (seconds: number) => void): Promise<Pictures> {
  const { path, clockRunsOn, folder, intervalSeconds, keyFramesOnly, picturesMax, thumbnailsName } = input;
  const thumbnails = openSync(join(folder, thumbnailsName), 'w');
  try {
    return await withMedia({ path, clockRunsOn }, async (file) => {
      const { video, startSeconds } = file;
      if (video === null) throw mediaFailure(0, DAMAGED);
      const decoder = new StreamDecoder(video, startSeconds, { keyFramesOnly });
      const graph = new PictureGraph(input, turningFilters(video));
      const [names, seconds]: [string[], number[]] = [[], []];
      const onFrame = (frame: Frame, time: number) => {
        const last = seconds.at(-1);
        if (names.length >= picturesMax || (last !== undefined && time - last < intervalSeconds)) return;
        const { jpeg, grey } = graph.convertPicture(frame);
        const name = `frame-${String(names.length + 1).padStart(4, '0')}.jpg`;
        writeFileSync(join(folder, name), jpeg);
        writeSync(thumbnails, grey);
        names.push(name);
        seconds.push(time);
      };
      let endSeconds = 0;
      let reportedAt = performance.now();
      for await (const packets of file.readPacketBatches([video])) {
        for (const packet of packets) {
          // Without more pictures to take, only the end of the track is of interest.
          if (names.length < picturesMax) decoder.decodePacket(packet, onFrame);
          endSeconds = Math.max(endSeconds, packetEndSeconds(packet, video, startSeconds) ?? 0);
        }
        if (performance.now() - reportedAt < PROGRESS_INTERVAL_MS) continue;
        reportedAt = performance.now();
        onSeconds(endSeconds);
      }
      decoder.decodePacket(null, onFrame);
      const damage = { parts: decoder.damagedParts, places: file.damagedPlaces };
      const shown = seconds.map((time) => Math.max(0, time));
      return { names, seconds: shown, decoded: { startSeconds: 0, endSeconds, soundSeconds: 0, gaps: [], damage } };
    });
  } finally {
    closeSync(thumbnails);
  }
}

/** Turns, scales and encodes single frames. Frames of another format get filters of their own. */
class PictureGraph {
  readonly #input: TakePicturesInput;
  readonly #turning: readonly string[];
  readonly #large = new Frame();
  readonly #small = new Frame();
  #format = '';
  #graph: FilterGraph | null = null;
  #source: FilterContext | null = null;
  #sinks: { large: FilterContext | null; small: FilterContext | null } = { large: null, small: null };

  constructor(input: TakePicturesInput, turning: readonly string[]) {
    this.#input = input;
    this.#turning = turning;
    this.#large.alloc();
    this.#small.alloc();
  }

  convertPicture(frame: Frame): { jpeg: Buffer; grey: Buffer } {
    this.#openFor(frame);
    frame.pts = 0n;
    const added = this.#source?.buffersrcAddFrameSync(frame) ?? 0;
    if (added < 0) throw mediaFailure(added, DAMAGED);
    takePictureFrame(this.#sinks.large, this.#large);
    takePictureFrame(this.#sinks.small, this.#small);
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

function takePictureFrame(sink: FilterContext | null, frame: Frame): void {
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
