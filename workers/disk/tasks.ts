/** Measures the files of a data folder, without following links. */
export interface MeasureDataInput {
  folder: string;
}

export interface MeasureDataOutput {
  /** All files. */
  bytes: number;
  /** Bytes of each job, with its cover, by `<environment>/<jobId>`. */
  jobs: Map<string, number>;
  /** Bytes of everything else, by the name at the top or by `<environment>/<name>`. */
  others: Map<string, number>;
}

declare module '../../src-server/platform/pool/worker-pool.ts' {
  interface TaskMap {
    'measure-data': { input: MeasureDataInput; output: MeasureDataOutput };
  }
}
