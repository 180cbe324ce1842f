import { z } from 'zod';

/** RFC 9457 problem details: the body of every error except 402. */
export const Problem = z
  .object({
    type: z.string().describe('A stable path under /problems/.'),
    title: z.string(),
    status: z.int(),
    detail: z.string().describe('What to do, in one sentence.'),
    code: z.string(),
    errors: z
      .array(z.object({ path: z.string().describe('JSON path of the field; $ is the body.'), message: z.string() }))
      .optional(),
  })
  .meta({ id: 'Problem' });
export type Problem = z.infer<typeof Problem>;
