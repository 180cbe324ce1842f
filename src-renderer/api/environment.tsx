import { useSearch } from '@tanstack/react-router';
import type { EnvironmentName } from './types.ts';

/** Which of the two environments the window shows. It stands in the address, so that a link shows the same. */
export function useEnvironment(): EnvironmentName {
  const { environment } = useSearch({ strict: false });
  return environment ?? 'production';
}
