import { defineFeature } from '../../feature.ts';
import { jobs } from '../jobs/feature.ts';
import { models } from '../models/feature.ts';
import { search } from '../search/feature.ts';
import { ADMIN_DICTATION_ROUTES } from './dictation-routes.ts';
import { createPieceListener } from './hear-piece.ts';
import { JobSubtitles } from './job-subtitles.ts';
import { LateDigests } from './late-digest.ts';
import { createVoices } from './migrations.ts';
import { extractHostedVideo, extractVideo } from './operation.ts';
import { RememberedVoices } from './remembered-voices.ts';
import { ADMIN_MEDIA_ROUTES, ADMIN_SPEAKER_ROUTES } from './routes.ts';
import { Sketches } from './sketches.ts';
import { SpeakerNames } from './speaker-names.ts';
import { speakerFilesOf } from './speakers.ts';
import { ADMIN_SUBTITLE_ROUTES } from './subtitle-routes.ts';
import { describeTools, mediaNeeds, toolsOf } from './tools.ts';
import { ADMIN_REMEMBERED_VOICE_ROUTES } from './voice-routes.ts';
import { createSoundPeaks } from './waveform.ts';
import { ADMIN_WAVEFORM_ROUTES } from './waveform-routes.ts';

/** Recordings, videos and streams. The engine is loaded with the first of them. */
export const media = defineFeature({
  name: 'media',
  uses: { jobs, models, search },
  migrations: { '027-voices': { up: createVoices } },
  operations: [extractHostedVideo, extractVideo],
  openShared(server, { models: { models, needs } }) {
    const tools = toolsOf(server);
    needs.addTools(mediaNeeds(tools));
    return {
      service: {
        tools: () => describeTools(tools),
        ytDlp: tools.ytDlpRelease,
        ffmpeg: tools.ffmpegRelease,
        whisperCli: tools.whisperCliInstall,
        speakers: speakerFilesOf(models),
      },
    };
  },
  open(environment, { jobs, search: { search } }, { speakers }) {
    const { context, storage, clock } = environment;
    const { folders, services, finished, service } = jobs;
    const tools = toolsOf(context);
    const voices = new RememberedVoices({
      storage,
      clock,
      runTask: context.pool.run,
      media: tools.media,
      speakers,
      folders,
    });
    const voicesOf = ({ accountId }: { accountId: string }) => voices.accountVoices(accountId);
    services.provideService('media', async () => (await import('./service.ts')).openMedia(context, voicesOf));
    services.provideService('hostedVideo', async () =>
      (await import('./hosted-video.ts')).openHostedVideo(context, voicesOf),
    );
    const subtitles = new JobSubtitles({ ...environment, ...finished, tools, folders });
    const measurePeaks = createSoundPeaks(tools.media);
    return {
      service: {
        service,
        voices,
        subtitles,
        speakerNames: new SpeakerNames({ ...environment, ...finished, search }),
        lateDigests: new LateDigests({ ...environment, ...finished, use: services.use }),
        soundPeaks: (jobId: string, wish: Parameters<typeof measurePeaks>[2], signal: AbortSignal) =>
          measurePeaks(folders.sourceFolderPath(jobId), signal, wish),
        openSketches: () => new Sketches(tools.media),
        hearPiece: createPieceListener(async () => (await import('./service.ts')).videosOf(context)),
      },
      close: () => subtitles.closeJobSubtitles(),
    };
  },
  routes: {
    shared: ADMIN_MEDIA_ROUTES,
    owner: [
      ...ADMIN_SPEAKER_ROUTES,
      ...ADMIN_REMEMBERED_VOICE_ROUTES,
      ...ADMIN_SUBTITLE_ROUTES,
      ...ADMIN_WAVEFORM_ROUTES,
      ...ADMIN_DICTATION_ROUTES,
    ],
  },
});
