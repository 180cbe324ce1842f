import { EventEmitter } from 'node:events';

/** What a utility process finds at `process.parentPort`, over the channel of a forked process. */
const port = Object.assign(new EventEmitter(), { postMessage: (message: unknown) => process.send?.(message) });

// As in Electron, what comes before anybody listens waits.
port.once('newListener', () => setImmediate(() => process.on('message', (data) => port.emit('message', { data }))));
// A utility process does not outlive the app.
process.on('disconnect', () => process.exit(1));
Object.defineProperty(process, 'parentPort', { value: port });
