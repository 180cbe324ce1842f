/**
 * The line between a child program and whoever started it: Node's channel of a forked process, or the port of a
 * utility process of Electron. A program whose owner has gone ends too.
 */
export function openOwnerLine<Heard, Said>(hear: (message: Heard) => void): (message: Said) => void {
  // Absent under plain Node, though its types do not say so.
  const port = process.parentPort as Electron.ParentPort | undefined;
  if (port !== undefined) {
    port.on('message', ({ data }: { data: Heard }) => hear(data));
    return (message) => port.postMessage(message);
  }
  process.on('message', (message) => hear(message as Heard));
  process.on('disconnect', () => process.exit(0));
  return (message) => void process.send?.(message);
}
