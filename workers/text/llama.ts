import { registerHooks } from 'node:module';

/** The engine's self-test of its native part. */
const TRY_OUT = /\/testBindingBinary\.js$/;
const ALWAYS_GOOD = 'data:text/javascript,export const testBindingBinary = async () => true;';

/**
 * Skips the engine's self-test, which forks a process: inside a utility process of the packaged app the fork would
 * start the app again. The test is unnecessary, because this process may die: the server then restarts it without the
 * graphics processor, as the engine itself would do.
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
