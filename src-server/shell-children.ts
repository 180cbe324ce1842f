import type { ChildListeners, StartChildProgram } from './platform/rpc/child-process.ts';
import type { ChildNews, ChildOrder } from './platform/rpc/shell.ts';

/** Child programs that the desktop shell starts for the server, told apart by numbers that the server gives. */
export class ShellChildren {
  readonly #tell: (order: ChildOrder) => void;
  readonly #listeners = new Map<number, ChildListeners>();
  #lastId = 0;

  constructor(tell: (order: ChildOrder) => void) {
    this.#tell = tell;
  }

  readonly start: StartChildProgram = (name, listeners) => {
    this.#lastId += 1;
    const id = this.#lastId;
    this.#listeners.set(id, listeners);
    this.#tell({ type: 'child-start', id, name });
    const whileRunning = (order: ChildOrder) => {
      if (this.#listeners.has(id)) this.#tell(order);
    };
    return {
      send: (message) => whileRunning({ type: 'child-send', id, message }),
      end: () => whileRunning({ type: 'child-end', id }),
    };
  };

  hear(news: ChildNews): void {
    const listeners = this.#listeners.get(news.id);
    if (news.type === 'child-said') listeners?.onMessage(news.message);
    else {
      this.#listeners.delete(news.id);
      listeners?.onEnd(news.cause);
    }
  }
}
