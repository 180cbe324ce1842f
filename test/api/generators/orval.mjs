import { generate } from 'orval';

const [, , input, output, baseUrl] = process.argv;
await generate({
  input: { target: input },
  output: { target: `${output}/api.ts`, client: 'fetch', mode: 'single', baseUrl },
});
