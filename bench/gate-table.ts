/** What the gate makes of its samples: a table, what grew, and whether it may judge. */
import { shown } from './figures.ts';

/** Of each figure less is better. */
export const FIGURES = {
  small: '.docx of 1 page, CPU ms',
  p50: 'the same, submitted to completed, p50 ms',
  medium: '.docx of 20 pages, CPU ms',
  large: '.docx of 300 pages, CPU ms',
  pdf: 'page of a PDF, CPU ms',
  crawl: 'page of a crawl of 2,000, CPU ms',
  page: 'crawl of one page, depth 0, CPU ms',
  start: 'start to listening, ms',
  startCpu: 'start to listening, CPU ms',
  memory: 'idle memory, MiB',
  unpaid: 'answer 402, CPU ms',
  paid: 'paid request, CPU ms',
} as const;

export type FigureName = keyof typeof FIGURES;
/** Samples of a tree, in the order of their turns. */
export type Samples = Partial<Record<FigureName, number[]>>;

/** Growth that the gate marks, as a share. */
export const GROWTH_MAX = 0.03;
/** Cores that other processes may use while it measures. */
export const OTHERS_MAX_CORES = 0.25;

export interface Row {
  name: FigureName;
  /** The least sample of a tree: other work on the machine only ever adds to a figure. */
  before: number;
  now: number;
  grew: boolean;
}

/** Compares the figures that both trees have. */
export function compareSamples(before: Samples, now: Samples): Row[] {
  return (Object.keys(FIGURES) as FigureName[]).flatMap((name) => {
    const [earlier, later] = [before[name] ?? [], now[name] ?? []];
    if (earlier.length === 0 || later.length === 0) return [];
    const [least, leastNow] = [Math.min(...earlier), Math.min(...later)];
    return [{ name, before: least, now: leastNow, grew: !(leastNow <= least * (1 + GROWTH_MAX)) }];
  });
}

/** Whether other processes leave the cores to the gate. @param othersCores what they used on average */
export function canJudge(othersCores: number): boolean {
  return othersCores <= OTHERS_MAX_CORES;
}

/** Rows for printTable. Without a judgement nothing is marked. */
export function tableOf(rows: readonly Row[], before: string, judges: boolean): Record<string, string>[] {
  return rows.map((row) => ({
    figure: FIGURES[row.name],
    [before]: shown(row.before),
    'this tree': shown(row.now),
    ratio: (row.now / row.before).toFixed(3),
    ...(judges ? { '': row.grew ? 'GREW' : '' } : {}),
  }));
}
