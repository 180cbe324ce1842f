import type { InstallChoice, ModelView, NeedView } from '../../api/generated/owner.ts';
import type { Kind } from '../../components/work.ts';

/** The tasks that models serve, in the order of the page. Programs have a section of their own. */
export const TASKS = [
  { need: 'speech', kind: 'transcribe' },
  { need: 'speakers', kind: 'transcribe' },
  { need: 'text', kind: 'write' },
  { need: 'voice', kind: 'speak' },
  { need: 'soundfont', kind: 'compose' },
  { need: 'embedding', kind: 'search' },
  { need: 'ocr-language', kind: 'read' },
] as const satisfies readonly { need: NeedView['need']; kind: Kind }[];

export type TaskNeed = (typeof TASKS)[number]['need'];

/** A model in its row: a choice adds its note, and whether it fits this computer. */
export interface ModelRow {
  model: ModelView;
  choice: InstallChoice | undefined;
}

export function isModelDownloadUnderWay({ download }: ModelView): boolean {
  return download?.status === 'downloading' || download?.status === 'verifying';
}

/** Installed models first, then downloads, then the choices, the recommended one first; the rest is folded away. */
export function sortModelRows(models: readonly ModelView[], choices: readonly InstallChoice[]) {
  const rows = models.map((model): ModelRow => ({ model, choice: choices.find(({ name }) => name === model.name) }));
  const modelRowOrder = ({ model, choice }: ModelRow) => {
    if (model.installed) return 0;
    if (choice !== undefined) return 1 + choices.indexOf(choice);
    return model.download === null ? Number.POSITIVE_INFINITY : choices.length + 1;
  };
  const shown = rows
    .filter((row) => Number.isFinite(modelRowOrder(row)))
    .sort((one, other) => modelRowOrder(one) - modelRowOrder(other));
  return { shown, rest: rows.filter((row) => !shown.includes(row)) };
}
