import { z } from 'zod';
import type { Said } from './text/say.ts';

/** Warnings of a result on the wire. Each is said, so that the window has it in the reader's language. */
export const Warnings = z.array(z.string() as z.ZodType as z.ZodType<Said, string>);
