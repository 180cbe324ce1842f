import { lazyRouteComponent } from '@tanstack/react-router';
import type { ComponentType } from 'react';
import { isThere } from './api/client.ts';

/**
 * A page whose code is read when it is first opened. Code that the server does not have belongs to another build, and
 * the router loads the window anew; without a server that would leave it for the browser's own page of errors, so that
 * is said instead, see `PageFailure`.
 */
export function lazyPage<Name extends string>(read: () => Promise<Record<Name, ComponentType>>, name: Name) {
  const readOrSay = async () => {
    try {
      return await read();
    } catch (error) {
      await isThere();
      throw error;
    }
  };
  return lazyRouteComponent(readOrSay, name);
}
