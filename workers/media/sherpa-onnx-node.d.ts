/** The package has no types. This file declares only what is used. */
declare module 'sherpa-onnx-node' {
  export interface OfflineStream {
    acceptWaveform(wave: { sampleRate: number; samples: Float32Array }): void;
  }
  export interface OfflineResult {
    text: string;
    lang?: string;
    /** Has the length of `timestamps` only if the model was exported with token times. */
    tokens?: string[];
    /** Seconds. */
    timestamps?: number[];
    durations?: number[];
    /** Of each token; empty where the decoder of the family gives none. */
    ys_log_probs?: number[];
    segment_texts?: string[];
    segment_timestamps?: number[];
    segment_durations?: number[];
  }
  export class OfflineRecognizer {
    constructor(config: object);
    createStream(): OfflineStream;
    decode(stream: OfflineStream): void;
    getResult(stream: OfflineStream): OfflineResult;
  }
  export class Vad {
    constructor(config: object, bufferSeconds: number);
    acceptWaveform(samples: Float32Array): void;
    isEmpty(): boolean;
    /** `start` is in samples from the beginning. Electron rejects external buffers: request a copy. */
    front(enableExternalBuffer: boolean): { start: number; samples: Float32Array };
    pop(): void;
    flush(): void;
  }
  export class OfflineSpeakerDiarization {
    constructor(config: object);
    /** Sound of at most one window of the model is segmented only: its speakers are those of this window. */
    process(samples: Float32Array): { start: number; end: number; speaker: number }[];
  }
  export class SpeakerEmbeddingExtractor {
    constructor(config: object);
    createStream(): OfflineStream & { inputFinished(): void };
    isReady(stream: OfflineStream): boolean;
    /** Electron rejects external buffers: request a copy. */
    compute(stream: OfflineStream, enableExternalBuffer: boolean): Float32Array;
  }
  export class OfflineTts {
    constructor(config: object);
    generate(request: { text: string; generationConfig: object; enableExternalBuffer: boolean }): {
      samples: Float32Array;
      sampleRate: number;
    };
  }
  const sherpa: {
    OfflineRecognizer: typeof OfflineRecognizer;
    OfflineSpeakerDiarization: typeof OfflineSpeakerDiarization;
    OfflineTts: typeof OfflineTts;
    SpeakerEmbeddingExtractor: typeof SpeakerEmbeddingExtractor;
    Vad: typeof Vad;
  };
  export default sherpa;
}
