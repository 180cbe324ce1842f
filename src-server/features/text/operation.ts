import { z } from 'zod';
import { defineOperation } from '../../operation.ts';

/** Characters of a prompt. What a model can take is less and is checked against the model; this bounds the check. */
const PROMPT_CHARS_MAX = 200_000;

const MAX_TOKENS_DEFAULT = 800;

const MAX_TOKENS_MAX = 32_768;

/** Between the certain and the surprising: what the makers of most models recommend. */
const TEMPERATURE_DEFAULT = 0.7;

const TokenUsage = z
  .object({
    promptTokens: z.int().min(0),
    completionTokens: z.int().min(0),
    totalTokens: z.int().min(0),
    estimated: z
      .literal(true)
      .optional()
      .describe('There where the server that wrote the text does not count: reckoned from its pieces and the prompt.'),
  })
  .meta({ id: 'TokenUsage', description: 'Counted by the model’s own tokenizer, unless `estimated` says otherwise.' });

export const generateText = defineOperation({
  id: 'generate/text',
  summary: 'Write text with a local model',
  description: `Answers at once with the text; with \`?stream=true\` as server-sent events: \`accepted\`
with \`jobId\` and \`statusUrl\`, \`token\` with each piece of \`text\`, then \`done\` with the whole answer, or
\`error\` with a problem. The same request of the same account has the same jobId, under which the newest answer can be
read again. \`temperature\` 0 always writes the same text. A model writes one text at a time; a few requests wait, more
are answered 429. A client that goes away stops the writing, unless the text was paid for: then it is finished, and the
same proof brings it.`,
  mode: 'inline',
  price: { amount: 10_000, timeoutSeconds: 60 },
  idPrefix: 'txt',
  queueClass: 'heavy',
  request: z.strictObject({
    prompt: z
      .string()
      .max(PROMPT_CHARS_MAX)
      .regex(/\S/, 'Give a prompt with at least one visible character.')
      // Half of a surrogate pair has no UTF-8 form, so neither a tokenizer nor a signature could read it.
      .refine((text) => text.isWellFormed(), 'Give a prompt of whole characters: it has half of a surrogate pair.')
      .describe('Instructions or seed text.'),
    model: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .describe('Name of an installed text model; by default the workspace text model.'),
    maxTokens: z
      .int()
      .min(1)
      .max(MAX_TOKENS_MAX)
      .default(MAX_TOKENS_DEFAULT)
      .describe('Upper bound on the length of the completion, in tokens of the model.'),
    temperature: z.number().min(0).max(1).default(TEMPERATURE_DEFAULT).describe('0 to 1; higher is more creative.'),
  }),
  result: z.object({
    content: z.string().describe('The generated text.'),
    model: z.string().describe('The model that wrote it.'),
    finishReason: z
      .enum(['stop', 'length'])
      .describe('`stop`: the model ended the text; `length`: maxTokens or the model’s context did.'),
    usage: TokenUsage,
  }),
  example: {
    request: { prompt: 'Write one sentence about a calm morning by the sea.', maxTokens: 40 },
    result: {
      content: 'The sea lay still.',
      model: 'qwen2.5-1.5b-instruct',
      finishReason: 'stop',
      usage: { promptTokens: 20, completionTokens: 5, totalTokens: 25 },
    },
    emitted: ['The', ' sea', ' lay', ' still.'].map((text) => ['token', { text }]),
  },
  uses: ['text'],
  retry: { attempts: 1, baseDelaySeconds: 1 },
  timeLimitSeconds: 600,
  firstRun: { seconds: 5, secondsPerMegabyte: 0 },
  inline: { jobId: 'deterministic', streams: true, body: (result, jobId) => ({ jobId, result }) },
  admit: async (request, ports) => (await ports.use('text')).admit(request),
  run: async (request, ports, signal) => {
    const text = await ports.use('text');
    return text.generate(request, (piece) => ports.emit('token', { text: piece }), signal);
  },
});
