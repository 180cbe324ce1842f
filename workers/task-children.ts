import { MessageChannel, type MessagePort } from 'node:worker_threads';
import type { TaskMessage } from '../src-server/platform/pool/worker-pool.ts';
import type { FromTaskChild, StartChildProgram, ToTaskChild } from '../src-server/platform/rpc/child-process.ts';

/** Starts child programs for a task: through the server's thread, over a channel of their own. */
export function childStarter(taskPort: MessagePort): StartChildProgram {
  return (name, { onMessage, onEnd }) => {
    const { port1: line, port2 } = new MessageChannel();
    taskPort.postMessage({ startChild: { name, port: port2 } } satisfies TaskMessage, [port2]);
    line.on('message', (message: FromTaskChild) => {
      if ('said' in message) return onMessage(message.said);
      line.close();
      onEnd(message.ended);
    });
    const order = (what: ToTaskChild) => line.postMessage(what);
    return { send: (message) => order({ send: message }), end: () => order({ end: true }) };
  };
}
