import { watch } from 'node:fs';
import { makeFolder } from '../../platform/files/make-folder.ts';

/** Folders that Quarry writes itself. */
const OWN_FOLDER = /^\.(downloads|installed)\b/;

interface FolderWatch {
  /** A folder that is being copied changes many times: `onChange` is called when it has been quiet for this long. */
  quietMs: number;
  onChange(): void;
  /** The system cannot watch the folder. */
  onFailed(error: unknown): void;
}

/** Watches the models folder. Returns a function that ends the watch. */
export function watchModelsFolder(folder: string, { quietMs, onChange, onFailed }: FolderWatch): () => void {
  let timer: NodeJS.Timeout | undefined;
  const onEvent = (_event: string, name: string | null) => {
    if (name !== null && OWN_FOLDER.test(name)) return;
    clearTimeout(timer);
    timer = setTimeout(onChange, quietMs);
  };
  try {
    // The owner may have removed the folder.
    makeFolder(folder);
    const watcher = watch(folder, { recursive: true }, onEvent);
    watcher.on('error', onFailed);
    return () => {
      clearTimeout(timer);
      watcher.close();
    };
  } catch (error) {
    onFailed(error);
    return () => undefined;
  }
}
