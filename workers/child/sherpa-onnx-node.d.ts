/** The package brings no types. Only what is used here is declared. */
declare module 'sherpa-onnx-node' {
  export interface OfflineStream {
    acceptWaveform(wave: { sampleRate: number; samples: Float32Array }): void;
  }
  export interface OfflineResult {
    text: string;
    lang?: string;
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
  const sherpa: { OfflineRecognizer: typeof OfflineRecognizer };
  export default sherpa;
}
