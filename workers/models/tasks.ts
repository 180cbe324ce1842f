/** Unpacks the archive of a model into a folder, which it creates. */
export interface UnpackModelInput {
  /** A .tar.bz2 with one folder at its top, whose name is left out. */
  archivePath: string;
  folder: string;
}

declare module '../../src-server/platform/pool/worker-pool.ts' {
  interface TaskMap {
    'unpack-model': { input: UnpackModelInput; output: null };
  }
}
