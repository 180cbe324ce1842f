import { defineOperation, travelWith } from '../../operation.ts';
import { TextAnswer, TextRequest } from './schema.ts';

export const generateText = defineOperation({
  id: 'generate/text',
  summary: 'Write text with a local model',
  description: `Answers with the text; with \`?stream=true\` as server-sent events: \`accepted\` with \`jobId\` and
\`statusUrl\`, \`token\` with each piece of \`text\`, then \`done\` with the whole answer, or \`error\` with a problem.
The same request of the same account has the same jobId, under which the newest answer can be read. \`temperature\` 0
always gives the same text. A model generates one text at a time; a few requests wait, more are answered 429. If the
client disconnects, an unpaid generation stops; a paid one finishes, and the same proof returns it.`,
  words: {
    group: 'write',
    icon: 'pen-line',
    name: 'Write',
    noun: 'Writing',
    plural: 'Writing',
    doing: 'Writing',
    leads: { label: 'Write', about: 'Text from a local model', plural: 'Writing' },
  },
  mode: 'inline',
  price: { amount: 10_000, timeoutSeconds: 60 },
  idPrefix: 'txt',
  queueClass: 'heavy',
  request: TextRequest,
  result: TextAnswer,
  example: {
    request: { prompt: 'Write one sentence about a calm morning by the sea.', maxTokens: 40 },
    result: {
      content: 'The sea lay still.',
      model: 'qwen3-1.7b',
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
  // An answer begins sooner here, so only a model that this machine lacks is asked on a node.
  travels: (request, _source, { use, nodes }) =>
    travelWith(nodes, 'text', async (models) => {
      const { name, from } = await (await use('text')).choose(request.model, models);
      return from === 'node' ? { models: [name], request: { ...request, model: name } } : null;
    }),
  run: async (request, ports, signal) => {
    const text = await ports.use('text');
    return text.generate(request, (piece) => ports.emit('token', { text: piece }), signal);
  },
});
