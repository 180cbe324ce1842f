import { createServer } from 'node:net';
import { findBroker } from '../../src-server/features/fleet/broker.ts';

/** Why the tests with a broker cannot run here; null where they can. */
export function brokerMissing(): string | null {
  try {
    findBroker();
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}
