import { z } from 'zod';
import type { Principal } from '../../context.ts';
import type { JobProgress, Operation } from '../../operation.ts';
import type { KeyScope } from '../../platform/http/route.ts';
import { parseWithSchema } from '../../platform/http/validate.ts';
import type { GateOpening } from '../jobs/service.ts';
import { plainSchema } from './arguments.ts';

export interface ToolAnswer {
  /** Text blocks: strings as they are, objects as JSON. */
  parts: readonly (string | object)[];
  /** Headers that describe the settled payment. */
  receipt?: Record<string, string>;
}

export interface Call {
  principal: Principal;
  /** Aborts when the client leaves. */
  signal: AbortSignal;
  /** Buys the operation for a caller that has to pay. Errors: PaymentRefused, `rate_limited`. */
  pay(operation: Operation): Promise<Payment>;
  /** Receives the progress of the job while the tool waits for it; undefined where nobody asked for it. */
  report: ((progress: JobProgress) => void) | undefined;
}

type Payment = Extract<GateOpening, { kind: 'proof' }>;

export interface Tool {
  name: string;
  description: string;
  inputSchema: { type: 'object' } & Record<string, unknown>;
  annotations: { title: string; readOnlyHint: boolean; destructiveHint: boolean };
  /** Scopes of which a named key needs one. */
  scopes: readonly KeyScope[];
  /** Whether it serves the owner and keys only. */
  isOwners: boolean;
  call(given: Record<string, unknown>, call: Call): Promise<ToolAnswer>;
}

export function defineTool<Schema extends z.ZodObject>(parts: {
  name: string;
  title: string;
  does: string;
  schema: Schema;
  scope: KeyScope;
  isOwners?: true;
  isDestructive?: true;
  /** Default: it only reads, unless it is destructive. */
  changes?: true;
  call(given: z.output<Schema>, call: Call): Promise<ToolAnswer['parts']>;
}): Tool {
  const { name, title, does, schema, scope, isOwners = false, isDestructive = false, changes = isDestructive } = parts;
  return {
    name,
    description: `${title}. ${does}`,
    inputSchema: inputSchema(schema),
    annotations: { title, readOnlyHint: !changes, destructiveHint: isDestructive },
    scopes: [scope],
    isOwners,
    call: async (given, call) => ({ parts: await parts.call(parseWithSchema(schema, given), call) }),
  };
}

export function inputSchema(schema: z.ZodObject): Tool['inputSchema'] {
  return { ...plainJsonSchema(schema), type: 'object' };
}

export function plainJsonSchema(schema: z.ZodType): Record<string, unknown> {
  const { $schema, ...rest } = z.toJSONSchema(schema, { io: 'input', target: 'draft-2020-12' });
  return plainSchema(rest);
}
