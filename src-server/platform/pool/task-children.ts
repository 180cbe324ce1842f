import type { TaskChildRequest, ToTaskChild } from '../../../workers/tasks.ts';
import type { StartChildProgram } from '../rpc/child-process.ts';

/**
 * Starts a child program for a task, and passes on what the two say. Threads cannot start one themselves where the
 * desktop shell does it; and this way the program ends with its task also when the task's thread dies.
 */
export function startForTask(start: StartChildProgram, { name, port }: TaskChildRequest): void {
  const program = start(name, {
    onMessage: (message) => port.postMessage({ said: message }),
    onEnd: (cause) => {
      port.postMessage({ ended: cause });
      port.close();
    },
  });
  port.on('message', (order: ToTaskChild) => {
    if ('send' in order) program.send(order.send);
    else program.end();
  });
  // Also when the thread at the other end died.
  port.on('close', () => program.end());
}
