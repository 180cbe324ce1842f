import { registerHooks } from 'node:module';

/** The engine's own try-out of its native part. */
const TRY_OUT = /\/testBindingBinary\.js$/;
const ALWAYS_GOOD = 'data:text/javascript,export const testBindingBinary = async () => true;';

/**
 * The engine tries its native part in a process that it forks. In a utility process of the packaged app that would
 * start the app a second time; and it is not needed, since this process is one that may die: the server then starts it
 * again without the graphics processor, which is what the engine itself would do.
 */
export async function loadEngine(): Promise<typeof import('node-llama-cpp')> {
  if (process.parentPort !== undefined) {
    registerHooks({
      resolve: (specifier, context, next) =>
        TRY_OUT.test(specifier) ? { url: ALWAYS_GOOD, shortCircuit: true } : next(specifier, context),
    });
  }
  return import('node-llama-cpp');
}
