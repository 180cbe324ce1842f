import { registerHooks } from 'node:module';

/** Puts the stand-in in electron's place: `node --import test/electron/register.ts out/main/index.mjs`. */
registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'electron'
      ? { url: new URL('./shim.ts', import.meta.url).href, shortCircuit: true }
      : next(specifier, context),
});
