/** Whether nodes have what a job needs, and what is said where they are away. */

import type { Missing, Need } from '../../platform/install-choice.ts';

/** Something that serves a need. `key` identifies it. */
interface OnNode {
  name: string;
  key: string;
}

export interface NodeStanding {
  /** Whether nodes have these models: one that takes work (`there`), only ones that are away, or none. */
  nodeStandingOf(operationId: string, models: readonly string[]): 'there' | 'away' | 'none';
  /** What nodes that take work have for a need. */
  presentOnNodes(need: Need): readonly OnNode[];
  /** Calls `onChange` when `standing` or `present` may have changed. Returns a function that unsubscribes. */
  watchNodeStanding(onChange: () => void): () => void;
}

/** The job needs models that only nodes have which are away: it waits for one of them. */
export class NodeAwayError extends Error {
  readonly lacks: Missing;
  readonly models: readonly string[];
  readonly nodes: readonly string[];

  constructor(nodes: readonly string[], { models, lacks }: { models: readonly string[]; lacks: Missing }) {
    super(sentenceOf(nodes, models));
    this.name = 'NodeAwayError';
    this.nodes = nodes;
    this.models = models;
    this.lacks = lacks;
  }
}

function sentenceOf(nodes: readonly string[], models: readonly string[]): string {
  const list = new Intl.ListFormat('en');
  const [node, have, are] = nodes.length === 1 ? ['node', 'has', 'it is'] : ['nodes', 'have', 'they are'];
  return `Only the ${node} ${list.format(nodes)} ${have} ${list.format(models)}, and ${are} away.`;
}
