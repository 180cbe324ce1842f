import type { OperationWords } from '../../src-server/operation.ts';

/** Words of operations that only tests run. */
export const TEST_WORDS: OperationWords = {
  group: 'other',
  icon: 'play',
  name: 'Test',
  noun: 'Test',
  plural: 'Tests',
  doing: 'Testing',
};
