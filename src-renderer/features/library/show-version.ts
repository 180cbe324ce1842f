import { omitUndefined } from '../../../src-server/platform/omit-undefined.ts';
import { useChange } from '../../api/changes.ts';
import { api, useEnvironment } from '../../api/client.ts';
import { libraryKey } from '../../api/library.ts';

/** Shows another version of an item in the library. */
export function useShowVersion(itemId: string, onDone?: () => void) {
  const environment = useEnvironment();
  return useChange(
    (version: number) =>
      api[environment].PATCH('/library/items/{itemId}', { params: { path: { itemId } }, body: { version } }),
    { renews: [libraryKey(environment)], ...omitUndefined({ onDone }) },
  );
}
