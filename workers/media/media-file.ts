/**
 * Opens one media file with FFmpeg's libraries. Threats: a playlist named as a video that makes FFmpeg open local files
 * or URLs, and a small file with huge frames that exhausts memory. All bytes come from one open file through callbacks,
 * only self-contained containers are accepted, and frames have a size limit.
 */

import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import {
  AV_DISPOSITION_ATTACHED_PIC,
  AV_DISPOSITION_DEFAULT,
  AV_LOG_ERROR,
  AV_NOPTS_VALUE,
  AV_PKT_DATA_DISPLAYMATRIX,
  AVDISCARD_ALL,
  AVDISCARD_DEFAULT,
  AVERROR_EAGAIN,
  AVERROR_EINVAL,
  AVERROR_ENOMEM,
  AVERROR_EOF,
  AVFMT_FLAG_CUSTOM_IO,
  AVFMT_TS_DISCONT,
  AVMEDIA_TYPE_AUDIO,
  AVMEDIA_TYPE_VIDEO,
  AVSEEK_CUR,
  AVSEEK_END,
  AVSEEK_FLAG_BACKWARD,
  AVSEEK_SIZE,
} from 'node-av/constants';
import {
  avGetCodecName,
  Codec,
  CodecContext,
  FFmpegError,
  FormatContext,
  Frame,
  IOContext,
  Packet,
  type Stream,
} from 'node-av/lib';
import { QuarryError } from '../../src-server/platform/errors.ts';
import { itemAt } from '../../src-server/platform/item-at.ts';
import { type Said, saidElsewhere, say } from '../../src-server/platform/text/say.ts';
import {
  CueReader,
  isSubtitle,
  readChapters,
  subtitleTracks,
  tagsOf,
  trackLanguage,
  trackTitle,
} from './file-facts.ts';
import { type Message, takeMessages } from './libav-messages.ts';
import type { ByteRange, ListedTrack, MediaFacts, TrackCues } from './tasks.ts';
import { correctDataSize, type StatedSize } from './wav-length.ts';

/** Names of FFmpeg's demuxers that open nothing but the file itself. */
const FORMATS =
  'mov,matroska,avi,mpegts,mpeg,mpegvideo,ogg,flv,asf,mp3,wav,flac,aac,aiff,w64,amr,caf,au,wv,m4v,h264,hevc,' +
  'ac3,eac3,dts,dtshd,truehd,mlp,loas,gsm,tta,voc,rm,mxf,dv,nut';

/** 8192 × 4352, the largest frame in the levels of H.264, HEVC and AV1 that players support. */
const PICTURE_PIXELS_MAX = 8192 * 4352;

/** Each decoder thread holds its own frames, so memory must not grow with the number of cores. */
const DECODER_THREADS_MAX = 4;

const IO_BUFFER_BYTES = 1 << 18;

const BATCH_PACKETS = 64;

const BATCH_BYTES = 1 << 22;

const MICROS = 1_000_000;

const STEREO_CHANNELS = 2;

interface MediaPlace {
  path: string;
  range?: ByteRange | null;
  clockRunsOn?: boolean;
}

/**
 * Runs `work` on an open file, or on a range of its bytes. Errors: `unsupported_media`, `corrupt_input`,
 * `out_of_memory`.
 */
export async function withMedia<Value>(
  { path, range = null, clockRunsOn = false }: MediaPlace,
  work: (file: MediaFile) => Promise<Value>,
): Promise<Value> {
  const descriptor = openSync(path, 'r');
  let io: IOContext | null = null;
  try {
    const context = new FormatContext();
    context.allocContext();
    const { size } = fstatSync(descriptor);
    const stated = range === null ? correctDataSize(descriptor, size) : null;
    io = oneFile(descriptor, range ?? { start: 0, end: size }, stated);
    context.pb = io;
    context.setFlags(AVFMT_FLAG_CUSTOM_IO);
    const notes = await openInput(context);
    return await work(new MediaFile(context, notes, clockRunsOn));
  } finally {
    // A thread that ends with the callbacks still registered can wait for itself for ever.
    io?.freeContext();
    closeSync(descriptor);
  }
}

/** Serves the bytes of a range, with a corrected size. FFmpeg cannot ask for any other file through it. */
function oneFile(descriptor: number, { start, end }: ByteRange, stated: StatedSize | null): IOContext {
  const io = new IOContext();
  const buffer = Buffer.alloc(IO_BUFFER_BYTES);
  let at = start;
  const readMediaBytes = (wanted: number) => {
    // A damaged file may name any place.
    if (at >= end) return null;
    const bytes = readSync(descriptor, buffer, 0, Math.min(wanted, buffer.length, end - at), at);
    for (const [index, byte] of stated?.bytes.entries() ?? []) {
      const place = (stated?.at ?? 0) + index - at;
      if (place >= 0 && place < bytes) buffer[place] = byte;
    }
    at += bytes;
    return bytes === 0 ? null : buffer.subarray(0, bytes);
  };
  const seekMediaBytes = (offset: bigint, whence: number) => {
    if (whence === AVSEEK_SIZE) return BigInt(end - start);
    const base = { [AVSEEK_CUR]: at, [AVSEEK_END]: end }[whence] ?? start;
    const target = base + Number(offset);
    if (target < start) return BigInt(AVERROR_EINVAL);
    at = target;
    return BigInt(at - start);
  };
  io.allocContextWithCallbacks(IO_BUFFER_BYTES, 0, readMediaBytes, null, seekMediaBytes);
  return io;
}

async function openInput(context: FormatContext): Promise<Message[]> {
  context.setOption('format_whitelist', FORMATS);
  context.setOption('protocol_whitelist', 'none');
  const opened = context.openInputSync('', null);
  const found = opened < 0 ? opened : context.findStreamInfoSync(null);
  const notes = await takeMessages();
  if (found >= 0) return notes;
  const cause = describeMediaError(found, notes);
  if (/not on whitelist|m3u8/i.test(cause)) {
    const message = say`The file is a playlist or an unsupported format. Send the video itself, such as MP4.`;
    throw new QuarryError('unsupported_media', message, { cause });
  }
  throw mediaFailure(found, say`The file is damaged or incomplete. Send an intact copy.`, cause);
}

function describeMediaError(code: number, notes: readonly Message[]): string {
  return [FFmpegError.strerror(code), ...notes.map(({ text }) => text)].join('\n');
}

/** @param damaged message for all errors but a lack of memory */
export function mediaFailure(code: number, damaged: Said, cause: string = FFmpegError.strerror(code)): QuarryError {
  if (code !== AVERROR_ENOMEM) return new QuarryError('corrupt_input', damaged, { cause });
  const message = say`Reading the file exceeded the memory limit. Send a version with smaller pictures.`;
  return new QuarryError('out_of_memory', message, { cause });
}

/** Tracks and packets of an open file. */
export class MediaFile {
  readonly #context: FormatContext;
  readonly #notes: readonly Message[];
  readonly #clock: PacketClock;
  readonly streams: readonly Stream[];
  readonly audio: readonly Stream[];
  /** The first video track that is no cover art. */
  readonly video: Stream | null;
  /** Error messages of the container while packets were read. */
  damagedPlaces = 0;

  constructor(context: FormatContext, notes: readonly Message[], clockRunsOn: boolean) {
    this.#context = context;
    this.#notes = notes;
    const mayJump = ((context.iformat?.flags ?? 0) & AVFMT_TS_DISCONT) !== 0;
    this.#clock = new PacketClock(mayJump && !clockRunsOn);
    this.streams = context.streams;
    this.audio = this.streams.filter(({ codecpar }) => codecpar.codecType === AVMEDIA_TYPE_AUDIO);
    const isCover = ({ disposition }: Stream) => (disposition & AV_DISPOSITION_ATTACHED_PIC) !== 0;
    const isVideo = (stream: Stream) => stream.codecpar.codecType === AVMEDIA_TYPE_VIDEO && !isCover(stream);
    this.video = this.streams.find(isVideo) ?? null;
  }

  get containerFormat(): string {
    return this.#context.iformat?.name ?? '';
  }

  /** Start of the clock of all tracks. */
  get startSeconds(): number {
    const { startTime } = this.#context;
    return startTime === AV_NOPTS_VALUE ? 0 : Number(startTime) / MICROS;
  }

  async readMediaFacts(): Promise<MediaFacts> {
    const { duration, bitRate } = this.#context;
    return {
      format: this.containerFormat,
      bitRate: bitRate > 0n ? Number(bitRate) : null,
      tags: tagsOf(this.#context, this.audio),
      chapters: await readChapters(this.#context),
      subtitleTracks: subtitleTracks(this.streams),
      durationSeconds: duration === AV_NOPTS_VALUE || duration <= 0n ? null : Number(duration) / MICROS,
      durationIsEstimated: this.#notes.some(({ text }) => text.includes('Estimating duration from bitrate')),
      startSeconds: this.startSeconds,
      audioTracks: this.audio.map(listSoundTrack),
      video: this.video === null ? null : videoFacts(this.video),
    };
  }

  /** Goes to the last key frame before a second. False where the file cannot be searched. */
  seekTo({ index, timeBase }: Stream, seconds: number): boolean {
    const ticks = BigInt(Math.round(((seconds + this.startSeconds) * timeBase.den) / timeBase.num));
    return this.#context.seekFrameSync(index, ticks, AVSEEK_FLAG_BACKWARD) >= 0;
  }

  /**
   * Packets of these streams in the order of the file, in batches that are valid until the next one. Other streams are
   * skipped. Between batches the process answers its owner, and FFmpeg's messages about the container are counted apart
   * from those of decoders.
   */
  async *readPacketBatches(wanted: readonly Stream[]): AsyncGenerator<readonly Packet[]> {
    const indices = new Set(wanted.map(({ index }) => index));
    for (const stream of this.streams) {
      stream.discard = indices.has(stream.index) ? AVDISCARD_DEFAULT : AVDISCARD_ALL;
    }
    const spare = Array.from({ length: BATCH_PACKETS }, newPacket);
    const isNamedAlike = wanted.some(({ codecpar }) => codecOf(codecpar.codecId) === this.containerFormat);
    try {
      for (let isOpen = true; isOpen; ) {
        const batch: Packet[] = [];
        for (let bytes = 0; isOpen && bytes < BATCH_BYTES && batch.length < BATCH_PACKETS; ) {
          const packet = itemAt(spare, batch.length);
          isOpen = this.#readMediaPacket(packet);
          if (!isOpen || !indices.has(packet.streamIndex)) continue;
          this.#clock.correctPacketTimes(packet, itemAt(this.streams, packet.streamIndex));
          batch.push(packet);
          bytes += packet.size;
        }
        const heard = await takeMessages();
        // The messages of a raw stream are those of its decoder, which counts damaged parts.
        if (!isNamedAlike) this.damagedPlaces += heard.filter(({ level }) => level <= AV_LOG_ERROR).length;
        if (batch.length > 0) yield batch;
        for (const packet of batch) packet.unref();
        await takeMessages();
      }
    } finally {
      for (const packet of spare) packet.free();
    }
  }

  /** False at the end of the file. What follows an unreadable place is lost. */
  #readMediaPacket(packet: Packet): boolean {
    packet.unref();
    for (;;) {
      const code = this.#context.readFrameSync(packet);
      if (code === AVERROR_ENOMEM) throw mediaFailure(code, saidElsewhere(''));
      if (code !== AVERROR_EAGAIN) return code >= 0;
    }
  }
}

/** The cues of each subtitle track, in the order of the file; none for tracks of pictures. */
export async function readSubtitles(file: MediaFile): Promise<TrackCues[]> {
  const streams = file.streams.filter(isSubtitle);
  const readers = new Map(streams.map((stream) => [stream.index, new CueReader(stream, file.startSeconds)]));
  for await (const packets of file.readPacketBatches(streams)) {
    for (const packet of packets) readers.get(packet.streamIndex)?.readCuePacket(packet);
  }
  return streams.map(({ index }) => {
    const { cues, leftOut } = readers.get(index) ?? { cues: [], leftOut: 0 };
    return { cues, leftOut };
  });
}

function newPacket(): Packet {
  const packet = new Packet();
  packet.alloc();
  return packet;
}

function codecOf(id: Stream['codecpar']['codecId']): string {
  return avGetCodecName(id) ?? 'none';
}

/** Facts of a sound track. */
export function listSoundTrack({ codecpar, metadata, disposition }: Stream): ListedTrack {
  const { order, nbChannels } = codecpar.channelLayout;
  return {
    codec: codecOf(codecpar.codecId),
    language: trackLanguage(metadata),
    isDefault: (disposition & AV_DISPOSITION_DEFAULT) !== 0,
    title: trackTitle(metadata),
    channels: nbChannels,
    isMono: nbChannels === 1,
    unplacedChannels: order === 0 && nbChannels > STEREO_CHANNELS ? nbChannels : 0,
  };
}

function videoFacts(stream: Stream): MediaFacts['video'] {
  const { codecId, width, height } = stream.codecpar;
  const known = width > 0 && height > 0 ? ([width, height] as const) : null;
  const turned = rotationOf(stream) % 180 === 90;
  const [shownWidth, shownHeight] = known === null ? [null, null] : turned ? known.toReversed() : known;
  return {
    codec: codecOf(codecId),
    width: shownWidth ?? null,
    height: shownHeight ?? null,
    oversize: width * height > PICTURE_PIXELS_MAX ? `${width}x${height}` : null,
  };
}

/** FFmpeg's filters that turn pictures the way they are displayed. */
export function turningFilters(stream: Stream): string[] {
  const [, , , c = 0, d = 1] = displayMatrixOf(stream);
  const [a = 1] = displayMatrixOf(stream);
  const degrees = rotationOf(stream);
  if (degrees === 90) return [c > 0 ? 'transpose=cclock_flip' : 'transpose=clock'];
  if (degrees === 180) return [...(a < 0 ? ['hflip'] : []), ...(d < 0 ? ['vflip'] : [])];
  if (degrees === 270) return [c < 0 ? 'transpose=clock_flip' : 'transpose=cclock'];
  return degrees === 0 && d < 0 ? ['vflip'] : [];
}

/** Clockwise, in whole degrees from 0 to 359. */
function rotationOf(stream: Stream): number {
  const [a = 1, b = 0] = displayMatrixOf(stream);
  return (Math.round((Math.atan2(b, a) * 180) / Math.PI) + 360) % 360;
}

/** The first five of its nine numbers; empty without one. */
function displayMatrixOf({ codecpar }: Stream): number[] {
  const matrix = codecpar.getCodedSideData(AV_PKT_DATA_DISPLAYMATRIX);
  if (matrix === null || matrix.length < 20) return [];
  return Array.from({ length: 5 }, (_, index) => matrix.readInt32LE(index * 4));
}

/** A jump of a transport stream's clock by more than this is a cut, not a gap. */
const JUMP_MICROS = 10 * MICROS;

/** Times that differ by more than this from those before are invalid. */
const INVALID_MICROS = 30 * 3600 * MICROS;

const BACKWARD_MICROS = MICROS / 10;

interface StreamTime {
  last: number;
  next: number;
}

/**
 * Corrects times as ffmpeg's command does. The clock of broadcast recordings restarts where they were cut: what follows
 * a jump is moved to its end. Elsewhere a jump of more than a day is an error in the file.
 */
class PacketClock {
  readonly #restarts: boolean;
  readonly #times = new Map<number, StreamTime>();
  #shift = 0;
  #last: number | null = null;

  /** @param restarts whether the clock of the format may jump */
  constructor(restarts: boolean) {
    this.#restarts = restarts;
  }

  correctPacketTimes(packet: Packet, { timeBase }: Stream): void {
    const { num, den } = timeBase;
    const movePacketTimes = (micros: number) => {
      const ticks = BigInt(Math.round((micros / MICROS) * (den / num)));
      if (ticks === 0n) return;
      if (packet.pts !== AV_NOPTS_VALUE) packet.pts += ticks;
      if (packet.dts !== AV_NOPTS_VALUE) packet.dts += ticks;
    };
    const microsOf = (ticks: bigint) => ((Number(ticks) * num) / den) * MICROS;
    movePacketTimes(this.#shift);
    if (packet.dts === AV_NOPTS_VALUE) return;
    let now = microsOf(packet.dts);
    const before = this.#times.get(packet.streamIndex);
    const expected = before?.next ?? this.#last;
    const delta = expected === null ? 0 : now - expected;
    if (this.#restarts) {
      const isBackward = before !== undefined && now + BACKWARD_MICROS < before.last;
      if (Math.abs(delta) > JUMP_MICROS || isBackward) {
        this.#shift -= delta;
        movePacketTimes(-delta);
        now -= delta;
      }
    } else if (before !== undefined && Math.abs(delta) > INVALID_MICROS) {
      packet.pts = AV_NOPTS_VALUE;
      packet.dts = AV_NOPTS_VALUE;
      return;
    }
    this.#times.set(packet.streamIndex, { last: now, next: now + microsOf(packet.duration) });
    this.#last = now;
  }
}

/** Decodes the packets of one stream. */
export class StreamDecoder {
  readonly #context: CodecContext;
  readonly #stream: Stream;
  readonly #startSeconds: number;
  readonly #frame: Frame;
  #expected = 0;
  /** Of the frame before. */
  #statedTime: bigint = AV_NOPTS_VALUE;
  /** Packets and frames that could not be decoded. */
  damagedParts = 0;

  /** Errors: `corrupt_input` without a decoder for the stream. */
  constructor(stream: Stream, startSeconds: number, options: { keyFramesOnly?: boolean } = {}) {
    this.#stream = stream;
    this.#startSeconds = startSeconds;
    this.#frame = new Frame();
    this.#frame.alloc();
    const codec = Codec.findDecoder(stream.codecpar.codecId);
    this.#context = new CodecContext();
    this.#context.allocContext3(codec);
    this.#context.parametersToContext(stream.codecpar);
    this.#context.pktTimebase = stream.timeBase;
    // Not as a dictionary, which the binding frees twice.
    this.#context.threadCount = Math.min(DECODER_THREADS_MAX, availableParallelism());
    this.#context.setOption('max_pixels', String(PICTURE_PIXELS_MAX));
    if (options.keyFramesOnly === true) this.#context.setOption('skip_frame', 'nokey');
    const code = codec === null ? null : this.#context.open2Sync(codec);
    if (code === null || code < 0) {
      throw mediaFailure(code ?? 0, say`The file uses a codec that could not be opened. Send a version in MP4.`);
    }
  }

  /** `onFrame` gets each frame with its time in the file. The frame is valid during the call. Null flushes. */
  decodePacket(packet: Packet | null, onFrame: (frame: Frame, seconds: number) => void): void {
    const sent = this.#context.sendPacketSync(packet);
    if (sent < 0 && sent !== AVERROR_EOF && sent !== AVERROR_EAGAIN) this.#noteDecodingError(sent);
    for (;;) {
      const received = this.#context.receiveFrameSync(this.#frame);
      if (received === AVERROR_EAGAIN || received === AVERROR_EOF) return;
      if (received < 0) {
        this.#noteDecodingError(received);
        continue;
      }
      const seconds = this.#frameStartSeconds(this.#frame);
      onFrame(this.#frame, seconds);
      this.#frame.unref();
    }
  }

  /** Forgets what is begun, to go on from another place of the file. */
  restartDecoder(): void {
    this.#context.flushBuffers();
    this.#statedTime = AV_NOPTS_VALUE;
  }

  /** A frame without a time follows the one before; so does sound with the time of the one before. */
  #frameStartSeconds(frame: Frame): number {
    const { num, den } = this.#stream.timeBase;
    const time = frame.bestEffortTimestamp;
    const isTimed = time !== AV_NOPTS_VALUE && (frame.sampleRate === 0 || time !== this.#statedTime);
    this.#statedTime = time;
    const seconds = isTimed ? (Number(time) * num) / den - this.#startSeconds : this.#expected;
    this.#expected = seconds + this.#frameDurationSeconds(frame);
    return seconds;
  }

  #frameDurationSeconds(frame: Frame): number {
    if (frame.sampleRate > 0) return frame.nbSamples / frame.sampleRate;
    const { num, den } = this.#stream.timeBase;
    if (frame.duration > 0n) return (Number(frame.duration) * num) / den;
    const { avgFrameRate } = this.#stream;
    return avgFrameRate.num > 0 ? avgFrameRate.den / avgFrameRate.num : 0;
  }

  #noteDecodingError(code: number): void {
    if (code === AVERROR_ENOMEM) throw mediaFailure(code, saidElsewhere(''));
    this.damagedParts += 1;
  }
}

/** End of a packet in the file's time; null when it has no time. */
export function packetEndSeconds(packet: Packet, { timeBase }: Stream, startSeconds: number): number | null {
  const time = packet.pts === AV_NOPTS_VALUE ? packet.dts : packet.pts;
  if (time === AV_NOPTS_VALUE) return null;
  return (Number(time + packet.duration) * timeBase.num) / timeBase.den - startSeconds;
}
