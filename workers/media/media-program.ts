/**
 * Decodes media files with FFmpeg's libraries, in a process of its own: a file that makes them abort, hang or fill the
 * memory takes this process down and no other. Calls are synchronous, which is five times faster than their
 * asynchronous twins; between batches of packets the process listens to its owner, and ends when that has ended.
 */

import { getFFmpegInfo } from 'node-av/lib';
import { limitOwnMemory, standBack } from '../../src-server/platform/process/bound-process.ts';
import { ownerLine } from '../../src-server/platform/rpc/lines.ts';
import { serveMethods } from '../../src-server/platform/rpc/rpc.ts';
import { decodeChannels } from './decode-channels.ts';
import { decodeSound, measurePeaks } from './decode-sound.ts';
import { encodeSound } from './encode-sound.ts';
import { joinTracks } from './join-tracks.ts';
import { readSubtitles, withMedia } from './media-file.ts';
import { sketchMedia } from './sketch.ts';
import { takePictures } from './take-pictures.ts';
import type { MediaProgram } from './tasks.ts';

/** Writable bytes that Node and the libraries map at start, most of them unused. */
const OWN_BYTES = 640 * 2 ** 20;

/** The largest accepted frames take 1.4 GB to decode. */
const MEMORY_BYTES_MAX = 2 * 2 ** 30 + OWN_BYTES;

// Before decoders start threads, which inherit the priority.
standBack(process.pid);
limitOwnMemory(MEMORY_BYTES_MAX);

serveMethods<MediaProgram>(
  {
    version: async () => getFFmpegInfo().version,
    probe: (place) => withMedia(place, async (file) => file.readMediaFacts()),
    readSubtitles: (path) => withMedia({ path }, readSubtitles),
    decodeSound: (input, onSeconds) => decodeSound(input, (seconds) => void onSeconds(seconds)),
    decodeChannels: (input, onSeconds) => decodeChannels(input, (seconds) => void onSeconds(seconds)),
    encodeSound: (input) => encodeSound(input),
    joinTracks: (input) => joinTracks(input),
    measurePeaks: (input) => measurePeaks(input),
    sketchMedia: (input) => sketchMedia(input),
    takePictures: (input, onSeconds) => takePictures(input, (seconds) => void onSeconds(seconds)),
  },
  ownerLine,
);
