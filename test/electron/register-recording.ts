/** Makes `import 'electron'` mean the recording stand-in: node --import test/electron/register-recording.ts. */
import { registerHooks } from 'node:module';

registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'electron'
      ? { url: new URL('./recording-electron.ts', import.meta.url).href, shortCircuit: true }
      : next(specifier, context),
});
