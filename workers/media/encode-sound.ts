/** Encodes a .wav of this server into a compressed or lossless format. */

import { statSync } from 'node:fs';
import {
  AV_CODEC_FLAG_BITEXACT,
  AV_CODEC_FLAG_GLOBAL_HEADER,
  AV_SAMPLE_FMT_FLTP,
  AV_SAMPLE_FMT_S16,
  AVERROR_EAGAIN,
  AVERROR_EOF,
  AVFMT_FLAG_BITEXACT,
  type AVSampleFormat,
  FF_ENCODER_AAC,
  FF_ENCODER_FLAC,
  FF_ENCODER_LIBOPUS,
  type FFAudioEncoder,
} from 'node-av/constants';
import {
  avChannelLayoutDefault,
  avChannelLayoutDescribe,
  avGetSampleFmtName,
  Codec,
  CodecContext,
  Dictionary,
  FFmpegError,
  type FilterContext,
  FormatContext,
  Frame,
  Packet,
  Rational,
  type Stream,
} from 'node-av/lib';
import { QuarryError } from '../../src-server/platform/errors.ts';
import { say } from '../../src-server/platform/text/say.ts';
import { openGraph } from './decode-sound.ts';
import { type MediaFile, StreamDecoder, withMedia } from './media-file.ts';
import { markAudiobook } from './mp4-chapters.ts';
import type { EncodeSoundInput, SoundFormat } from './tasks.ts';

interface Encoding {
  codec: FFAudioEncoder;
  muxer: string;
  sampleFormat: AVSampleFormat;
  /** The rates of the codec; null for any. The nearest one that loses nothing is used. */
  rates: readonly number[] | null;
  /** Per channel; null for lossless. */
  kilobits: number | null;
}

const AAC_RATES = [8000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000];

const ENCODINGS: Readonly<Record<SoundFormat, Encoding>> = {
  opus: {
    codec: FF_ENCODER_LIBOPUS,
    muxer: 'ogg',
    sampleFormat: AV_SAMPLE_FMT_S16,
    rates: [8000, 12_000, 16_000, 24_000, 48_000],
    kilobits: 64,
  },
  flac: { codec: FF_ENCODER_FLAC, muxer: 'flac', sampleFormat: AV_SAMPLE_FMT_S16, rates: null, kilobits: null },
  aac: { codec: FF_ENCODER_AAC, muxer: 'adts', sampleFormat: AV_SAMPLE_FMT_FLTP, rates: AAC_RATES, kilobits: 80 },
  m4b: { codec: FF_ENCODER_AAC, muxer: 'ipod', sampleFormat: AV_SAMPLE_FMT_FLTP, rates: AAC_RATES, kilobits: 80 },
};

/** Samples per frame for codecs that take any number. */
const FRAME_SAMPLES = 4096;

const FAILED = say`The sound could not be encoded. Choose another format.`;

/** Writes `targetPath` and returns its size in bytes. The same input gives the same bytes. */
export async function encodeSound(input: EncodeSoundInput): Promise<number> {
  const { path, targetPath, format, tags, chapters } = input;
  const durationSeconds = await withMedia({ path }, async (file) => {
    const track = file.audio[0];
    if (track === undefined) throw encoderFailure(0, 'There is no sound.');
    using encoder = new Encoder(ENCODINGS[format], track, targetPath, tags);
    await encoder.encodeTrack(file, track);
    return encoder.encodedSeconds;
  });
  if (format === 'm4b') markAudiobook(targetPath, chapters, durationSeconds);
  return statSync(targetPath).size;
}

class Encoder implements Disposable {
  readonly #context = new CodecContext();
  readonly #output = new FormatContext();
  readonly #stream: Stream;
  readonly #packet = new Packet();
  readonly #rate: number;
  #samples = 0;

  constructor(encoding: Encoding, track: Stream, targetPath: string, tags: EncodeSoundInput['tags']) {
    const { sampleRate, channelLayout } = track.codecpar;
    const channels = Math.min(2, channelLayout.nbChannels);
    const codec = Codec.findEncoderByName(encoding.codec);
    if (codec === null) throw encoderFailure(0, `There is no encoder ${encoding.codec}.`);
    this.#rate = encoding.rates?.find((rate) => rate >= sampleRate) ?? encoding.rates?.at(-1) ?? sampleRate;
    this.#packet.alloc();
    const context = this.#context;
    context.allocContext3(codec);
    context.sampleRate = this.#rate;
    context.sampleFormat = encoding.sampleFormat;
    context.channelLayout = avChannelLayoutDefault(channels);
    context.timeBase = new Rational(1, this.#rate);
    if (encoding.kilobits !== null) context.bitRate = BigInt(encoding.kilobits * 1000 * channels);
    context.setFlags(AV_CODEC_FLAG_BITEXACT, ...(encoding.muxer === 'ipod' ? [AV_CODEC_FLAG_GLOBAL_HEADER] : []));
    requireEncoderSuccess(context.open2Sync(codec));
    requireEncoderSuccess(this.#output.allocOutputContext2(null, encoding.muxer, targetPath));
    this.#output.setFlags(AVFMT_FLAG_BITEXACT);
    this.#stream = this.#output.newStream(codec);
    this.#stream.timeBase = context.timeBase;
    requireEncoderSuccess(this.#stream.codecpar.fromContext(context));
    this.#output.metadata = Dictionary.fromObject(tags);
    requireEncoderSuccess(this.#output.openOutputSync());
    requireEncoderSuccess(this.#output.writeHeaderSync());
  }

  get encodedSeconds(): number {
    return this.#samples / this.#rate;
  }

  async encodeTrack(file: MediaFile, track: Stream): Promise<void> {
    const graph = openGraph(this.#encoderFilterGraph(track));
    const source = graph.getFilter('abuffer@in');
    const sink = graph.getFilter('abuffersink@out');
    const decoder = new StreamDecoder(track, file.startSeconds);
    const pushFrameToEncoder = (frame: Frame | null) => {
      requireEncoderSuccess(source?.buffersrcAddFrameSync(frame) ?? 0);
      this.#drainFilterSink(sink);
    };
    for await (const packets of file.readPacketBatches([track]))
      for (const packet of packets) decoder.decodePacket(packet, pushFrameToEncoder);
    decoder.decodePacket(null, pushFrameToEncoder);
    pushFrameToEncoder(null);
    graph.free();
    this.#sendFrameToEncoder(null);
    requireEncoderSuccess(this.#output.writeTrailerSync());
  }

  [Symbol.dispose](): void {
    this.#output.closeOutputSync();
    this.#output.freeContext();
    this.#context.freeContext();
    this.#packet.free();
  }

  #encoderFilterGraph({ codecpar, timeBase }: Stream): string {
    const name = avGetSampleFmtName(codecpar.format as AVSampleFormat);
    const layout = avChannelLayoutDescribe(avChannelLayoutDefault(codecpar.channelLayout.nbChannels));
    const from = `sample_rate=${codecpar.sampleRate}:sample_fmt=${name}:channel_layout=${layout}`;
    const to = avChannelLayoutDescribe(this.#context.channelLayout);
    const size = this.#context.frameSize > 0 ? this.#context.frameSize : FRAME_SAMPLES;
    return [
      `abuffer@in=time_base=${timeBase.num}/${timeBase.den}:${from}`,
      `aresample=${this.#rate}`,
      `aformat=sample_fmts=${avGetSampleFmtName(this.#context.sampleFormat)}:channel_layouts=${to}`,
      `asetnsamples=n=${size}:p=0`,
      'abuffersink@out',
    ].join(',');
  }

  #drainFilterSink(sink: FilterContext | null): void {
    const frame = new Frame();
    frame.alloc();
    for (;;) {
      const code = sink?.buffersinkGetFrameSync(frame) ?? AVERROR_EOF;
      if (code === AVERROR_EAGAIN || code === AVERROR_EOF) break;
      requireEncoderSuccess(code);
      frame.pts = BigInt(this.#samples);
      this.#samples += frame.nbSamples;
      this.#sendFrameToEncoder(frame);
      frame.unref();
    }
    frame.free();
  }

  #sendFrameToEncoder(frame: Frame | null): void {
    requireEncoderSuccess(this.#context.sendFrameSync(frame));
    for (;;) {
      const code = this.#context.receivePacketSync(this.#packet);
      if (code === AVERROR_EAGAIN || code === AVERROR_EOF) return;
      requireEncoderSuccess(code);
      this.#packet.streamIndex = this.#stream.index;
      this.#packet.rescaleTs(this.#context.timeBase, this.#stream.timeBase);
      requireEncoderSuccess(this.#output.interleavedWriteFrameSync(this.#packet));
    }
  }
}

function requireEncoderSuccess(code: number): void {
  if (code < 0) throw encoderFailure(code);
}

function encoderFailure(code: number, cause: string = FFmpegError.strerror(code)): QuarryError {
  return new QuarryError('engine_failed', FAILED, { cause });
}
