/**
 * The stages of a video's job, each of which can be held where it is: by a program that works for ever, by a process
 * that is stopped, or by an address that never ends. Linux alone tells which processes there are.
 */
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type ApplianceProcess, startApplianceProcess } from './appliance-process.ts';
import { descendantsOf, niceOf, processesLike } from './child-processes.ts';
import { installEndless } from './endless-program.ts';
import { type LocalSite, serveWith } from './local-site.ts';
import { openMediaMaker } from './make-media.ts';
import { CLIPS, GGML_MODEL, installSpeechModel, ONNX_MODEL, submit } from './speech.ts';
import { installStandInYtDlp } from './stand-in-yt-dlp.ts';
import { postJson } from './text-models.ts';
import { installVadModel } from './vad-model.ts';

const DRIP_MS = 50;
const NICE = 10;
/** What the job says while a speech model works. */
const LISTENS = /^(Loading the speech model|Transcrib)/;
const MEDIA_PROGRAM = 'media/media-program';

export interface Studio extends AsyncDisposable {
  appliance: ApplianceProcess;
  /** Stops the program that reads media when it starts, after this many starts. */
  holdReader(startsBefore: number): Promise<void>;
  site: LocalSite;
  /** Connections on which the site drips. */
  dripping(): number;
  talk: Buffer;
  /** Pictures without sound. */
  slides: Buffer;
}

export interface HeldStage {
  /** What is done in it, and by whom. */
  title: string;
  /** As the job's progress calls it. */
  stage: string;
  begin(studio: Studio): Promise<Response>;
  /** Whether the work of the stage has begun; holds it there. */
  isThere(studio: Studio, message: string): boolean;
}

/** A server with everything that the stages need. */
export async function openStudio(): Promise<Studio> {
  const maker = await openMediaMaker();
  const holdReader = await installHold(maker.folder);
  const appliance = await startApplianceProcess({ variables: { PATH: `${maker.folder}:${process.env.PATH}` } });
  // There from the start: a server looks for programs, and asks the reader for its version, once.
  await installStandInYtDlp(appliance.dataDir, join(CLIPS, '02-fox.wav'), 'describing');
  await appliance.owner('/admin/media');
  for (const model of [ONNX_MODEL, GGML_MODEL]) await installSpeechModel(appliance, model);
  const talk = await maker.make('talk.flac', ['-i', join(CLIPS, '08-long.mp3'), '-ar', '16000']);
  const pictures = "color=white:size=640x360:rate=1:duration=90,drawtext=text='%{eif\\:t\\:d}':fontsize=200:x=60:y=50";
  const slides = await maker.make('slides.mkv', [
    ...['-f', 'lavfi', '-i', pictures, '-c:v', 'libx264', '-pix_fmt', 'yuv420p'],
  ]);
  let dripping = 0;
  const site = await serveWith((request, response) => {
    const isPage = request.url === '/page';
    response.writeHead(200, { 'content-type': isPage ? 'text/html' : 'video/mp4' });
    if (isPage) {
      response.end('<title>A page that names no video</title>');
      return;
    }
    dripping += 1;
    const timer = setInterval(() => response.write('x'), DRIP_MS);
    response.on('close', () => {
      clearInterval(timer);
      dripping -= 1;
    });
  });
  return {
    ...{ appliance, holdReader, site, talk, slides },
    dripping: () => dripping,
    [Symbol.asyncDispose]: async () => {
      await appliance[Symbol.asyncDispose]();
      await site[Symbol.asyncDispose]();
      await maker[Symbol.asyncDispose]();
    },
  };
}

/**
 * A `prlimit` on PATH, with which the program that reads media begins. It stops that program after a number of starts,
 * and never at first.
 */
async function installHold(folder: string): Promise<Studio['holdReader']> {
  const path = join(folder, 'prlimit');
  const starts = `${path}-starts`;
  const lines = [
    '#!/bin/sh',
    `left=$(cat "${starts}")`,
    `echo $((left - 1)) > "${starts}"`,
    'if [ "$left" = 0 ]; then kill -STOP "$PPID"; fi',
    'exec /usr/bin/prlimit "$@"',
  ];
  await writeFile(path, `${lines.join('\n')}\n`, { mode: 0o755 });
  const holdReader = (startsBefore: number) => writeFile(starts, String(startsBefore));
  await holdReader(-1);
  return holdReader;
}

const listen = ({ appliance, talk }: Studio, transcriptionModel: string) =>
  submit(appliance, talk, 'talk.flac', { transcriptionModel });

const ask = ({ appliance, site }: Studio, operation: string, path: string) =>
  appliance.owner(`/v1/extract/${operation}`, postJson({ sourceUrl: site.url + path }));

/** Processes of the server, and of those that it started, whose command line holds the text. */
export function started({ appliance }: Studio, text: string): number[] {
  const like = processesLike(text);
  return descendantsOf(appliance.pid).filter((pid) => like.includes(pid));
}

const standsBack = (pid: number) => niceOf(pid) === NICE;

/** Holds the process that listens where it is. */
function stopListener(studio: Studio): boolean {
  const [listener] = started(studio, 'media/speech-program');
  if (listener !== undefined) process.kill(listener, 'SIGSTOP');
  return listener !== undefined;
}

function ytDlpStage(step: 'describing' | 'fetching', title: string, stage: string): HeldStage {
  return {
    title,
    stage,
    begin: async (studio) => {
      await installStandInYtDlp(studio.appliance.dataDir, join(CLIPS, '02-fox.wav'), step);
      return ask(studio, 'hosted-video', '/page');
    },
    isThere: (studio) => {
      const helpers = started(studio, 'tools/yt-dlp-helper');
      return helpers.length > 0 && helpers.every(standsBack);
    },
  };
}

export const HELD_STAGES: readonly HeldStage[] = [
  {
    title: 'a file is fetched that drips a byte at a time',
    stage: 'fetching',
    begin: (studio) => ask(studio, 'video', '/talk.mp4'),
    isThere: (studio) => studio.dripping() > 0,
  },
  {
    title: 'a hosted video is fetched that drips a byte at a time',
    stage: 'fetching',
    begin: (studio) => ask(studio, 'hosted-video', '/talk.mp4'),
    isThere: (studio) => studio.dripping() > 0,
  },
  ytDlpStage(
    'describing',
    'yt-dlp looks for a video, with a program of its own that nothing but a kill ends',
    'looking',
  ),
  ytDlpStage('fetching', 'yt-dlp fetches a video, with a program of its own that nothing but a kill ends', 'fetching'),
  {
    title: 'the sound is read',
    stage: 'extracting-audio',
    begin: async (studio) => {
      await studio.holdReader(1);
      return listen(studio, ONNX_MODEL);
    },
    isThere: (studio, message) => message === 'Reading the sound' && started(studio, MEDIA_PROGRAM).some(standsBack),
  },
  {
    title: 'the detector looks for speech',
    stage: 'listening',
    begin: async (studio) => {
      await studio.holdReader(-1);
      await installVadModel(studio.appliance);
      return listen(studio, ONNX_MODEL);
    },
    isThere: stopListener,
  },
  {
    title: 'sherpa-onnx listens',
    stage: 'transcribing',
    begin: async (studio) => {
      await rm(join(studio.appliance.dataDir, 'models', 'silero-vad.onnx'), { force: true });
      return listen(studio, ONNX_MODEL);
    },
    // The detector that ships looks for speech first, in a process of its own.
    isThere: (studio, message) => LISTENS.test(message) && stopListener(studio),
  },
  {
    title: 'whisper-cli listens',
    stage: 'transcribing',
    begin: async (studio) => {
      await installEndless(studio.appliance.dataDir);
      return listen(studio, GGML_MODEL);
    },
    isThere: (studio) => started(studio, 'tools/whisper-cli').some(standsBack),
  },
  {
    title: 'pictures are taken',
    stage: 'reading-frames',
    begin: async (studio) => {
      await studio.holdReader(1);
      return submit(studio.appliance, studio.slides, 'slides.mkv', { captureFrames: true });
    },
    isThere: (studio, message) => message === 'Taking pictures' && started(studio, MEDIA_PROGRAM).some(standsBack),
  },
  {
    title: 'the text of pictures is read',
    stage: 'reading-frames',
    begin: async (studio) => {
      await studio.holdReader(-1);
      const options = { captureFrames: true, frameIntervalSeconds: 1 };
      return submit(studio.appliance, studio.slides, 'slides.mkv', options);
    },
    isThere: (_studio, message) => message.startsWith('Read '),
  },
];
