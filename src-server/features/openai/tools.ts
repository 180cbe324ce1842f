/**
 * Functions that a model may call. The engine has no calls of its own: the functions are described in the prompt, and a
 * grammar lets the model write only a call that fits their schemas or, where it may choose, a text.
 */

import { z } from 'zod';
import { QuarryError } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import { omitUndefined } from '../../platform/omit-undefined.ts';
import { byName } from '../../platform/records.ts';
import { tell } from '../../platform/text/say.ts';
import { AnswerSchema } from '../text/schema.ts';
import { refuseField } from './errors.ts';
import type { WrittenText } from './text-call.ts';

const TOOLS_MAX = 64;

export const ToolName = z.string().regex(/^[\w-]{1,64}$/, 'Give 1 to 64 letters, digits, _ and -.');

/** What a function is, in either of OpenAI's interfaces. */
export const FUNCTION_SHAPE = {
  name: ToolName,
  description: z.string().nullish(),
  parameters: AnswerSchema.nullish(),
  /** A grammar is always strict. */
  strict: z.boolean().nullish(),
};

const FunctionTool = z.looseObject(FUNCTION_SHAPE);

export type FunctionTool = z.output<typeof FunctionTool>;

/** @param Tool how an interface writes one */
export function toolList<Tool extends z.ZodType>(Tool: Tool) {
  return z.array(Tool).max(TOOLS_MAX).nullish();
}

/** `auto`: the model chooses between a call and a text; a name: that function is called. */
export type ToolChoice = 'auto' | 'none' | 'required' | { name: string };

export interface ToolUse {
  tools: readonly FunctionTool[];
  choice: Exclude<ToolChoice, 'none'>;
  /** JSON Schema of an answer without a call; null for a text. */
  answer: Record<string, unknown> | null;
}

/**
 * What the model may call; null where it only writes. Errors: `invalid_request` naming the field.
 *
 * @param format of an answer without a call, as generate/text takes it
 */
export function toolUse(
  tools: readonly FunctionTool[],
  choice: ToolChoice | null,
  format: Record<string, unknown> | 'json' | undefined,
): ToolUse | null {
  const answer = format === 'json' ? { type: 'object' } : (format ?? null);
  const names = new Set(tools.map(({ name }) => name));
  if (names.size < tools.length) throw refuseField('tools', tell`Give each function a name of its own.`);
  if (typeof choice === 'object' && choice !== null && !names.has(choice.name)) {
    throw refuseField('tool_choice', tell`tools has no function ${choice.name}.`);
  }
  if (tools.length > 0) return choice === 'none' ? null : { tools, choice: choice ?? 'auto', answer };
  if (choice === 'required') throw refuseField('tool_choice', tell`A call is required, but tools is empty.`);
  return null;
}

/** The functions and how to call them, for the start of the prompt. */
export function toolPrompt({ tools, choice, answer }: ToolUse): string {
  const shown = callableTools({ tools, choice }).map(({ name, description, parameters }) =>
    JSON.stringify({ name, description: description || undefined, parameters: parameters ?? NO_PARAMETERS }),
  );
  const call = '{"name": "the function", "arguments": {its parameters}}';
  const text = `{"answer": ${answer === null ? '"your text"' : JSON.stringify(answer)}}`;
  const how = choice === 'auto' ? `Answer with ${call} or with ${text}.` : `Answer with ${call}.`;
  return `You can call these functions, one at a time:\n${shown.join('\n')}\n\n${how}`;
}

const NO_PARAMETERS: Record<string, unknown> = byName({ type: 'object', properties: {}, additionalProperties: false });

function callableTools({ tools, choice }: Pick<ToolUse, 'tools' | 'choice'>): readonly FunctionTool[] {
  return typeof choice === 'object' ? tools.filter(({ name }) => name === choice.name) : tools;
}

/** The JSON Schema of what the model may write. */
export function toolSchema(use: ToolUse): object {
  const definitions: Record<string, unknown> = {};
  /** References lead from the root of a schema: one that has any becomes a definition. */
  const moveIntoDefinitions = (schema: Record<string, unknown>, own: string) => {
    if (!JSON.stringify(schema).includes('"$ref"')) return schema;
    definitions[own] = moveReferences(schema, own);
    return { $ref: `#/$defs/${own}` };
  };
  const calls = callableTools(use).map(({ name, parameters }, index) =>
    objectOf({ name: { const: name }, arguments: moveIntoDefinitions(parameters ?? NO_PARAMETERS, `f${index}`) }),
  );
  const text = use.answer === null ? { type: 'string' } : moveIntoDefinitions(use.answer, 'answer');
  const choices = use.choice === 'auto' ? [...calls, objectOf({ answer: text })] : calls;
  const $defs = Object.keys(definitions).length === 0 ? undefined : definitions;
  return { oneOf: choices, ...omitUndefined({ $defs }) };
}

function objectOf(properties: Record<string, unknown>): object {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}

function moveReferences(schema: unknown, own: string): unknown {
  if (Array.isArray(schema)) return schema.map((one) => moveReferences(one, own));
  if (typeof schema !== 'object' || schema === null) return schema;
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) => {
      const isReference = key === '$ref' && typeof value === 'string' && value.startsWith('#');
      return [key, isReference ? `#/$defs/${own}${value.slice(1)}` : moveReferences(value, own)];
    }),
  );
}

export interface ToolCall {
  id: string;
  name: string;
  /** JSON text. */
  arguments: string;
}

export type ToolAnswer = { call: ToolCall } | { text: string };

/** A call or an answer that ended in the middle, because `max_tokens` did. */
const CUT_CALL = /^\s*\{\s*"name"\s*:\s*"([\w-]+)"\s*,\s*"arguments"\s*:\s*(.*)$/s;

const CUT_ANSWER = /^\s*\{\s*"answer"\s*:\s*("(?:[^"\\]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*)/s;

const Call = z.strictObject({ name: z.string(), arguments: z.record(z.string(), z.unknown()) });

const Answer = z.strictObject({ answer: z.unknown() });

/** Reads what the model wrote. Errors: `engine_failed` for a text server that did not follow the schema. */
export function readToolAnswer({ content, finishReason }: WrittenText, use: ToolUse): ToolAnswer {
  const written = parseJsonOrNull(content);
  const call = Call.safeParse(written);
  if (call.success && callableTools(use).some(({ name }) => name === call.data.name)) {
    return { call: newCall(call.data.name, JSON.stringify(call.data.arguments)) };
  }
  const answer = Answer.safeParse(written);
  if (answer.success && use.choice === 'auto') {
    const { answer: given } = answer.data;
    if (use.answer !== null) return { text: JSON.stringify(given) };
    if (typeof given === 'string') return { text: given };
  }
  if (finishReason !== 'length') {
    throw new QuarryError(
      'engine_failed',
      tell`The text server did not write a call of a function. Use another model.`,
    );
  }
  const cut = CUT_CALL.exec(content);
  if (cut !== null) return { call: newCall(cut[1] ?? '', cut[2] ?? '') };
  if (use.answer !== null) return { text: /^\s*\{\s*"answer"\s*:\s*(.*)$/s.exec(content)?.[1] ?? '' };
  return { text: String(parseJsonOrNull(`${CUT_ANSWER.exec(content)?.[1] ?? '"'}"`)) };
}

function newCall(name: string, given: string): ToolCall {
  return { id: newId('req').replace('req_', 'call_'), name, arguments: given };
}

function parseJsonOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
