/** sherpa-onnx by itself, as its own program would run it: `node sherpa-alone.ts MODEL-FOLDER FILE.wav…`. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import sherpa from 'sherpa-onnx-node';

const SAMPLE_RATE = 16_000;
const WAV_HEADER_BYTES = 44;
const [modelFolder = '', ...paths] = process.argv.slice(2);
const recognizer = new sherpa.OfflineRecognizer({
  featConfig: { sampleRate: SAMPLE_RATE, featureDim: 80 },
  modelConfig: {
    whisper: {
      encoder: join(modelFolder, 'encoder.onnx'),
      decoder: join(modelFolder, 'decoder.onnx'),
      ...{ language: 'en', task: 'transcribe', tailPaddings: -1, enableSegmentTimestamps: 1 },
    },
    tokens: join(modelFolder, 'tokens.txt'),
    numThreads: 1,
  },
});
for (const path of paths) {
  const bytes = readFileSync(path).subarray(WAV_HEADER_BYTES);
  const samples = Float32Array.from(new Int16Array(new Uint8Array(bytes).buffer), (sample) => sample / 32_768);
  const stream = recognizer.createStream();
  stream.acceptWaveform({ sampleRate: SAMPLE_RATE, samples });
  recognizer.decode(stream);
  process.stdout.write(`${recognizer.getResult(stream).text}\n`);
}
