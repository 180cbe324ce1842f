import { CFB } from '@e965/xlsx';

/** A compound file (OLE) with these streams by their paths, `/Storage/Stream`. */
export function compoundFile(streams: Record<string, Uint8Array | string>): Buffer {
  const file = CFB.utils.cfb_new();
  for (const [path, content] of Object.entries(streams)) CFB.utils.cfb_add(file, path, Buffer.from(content));
  CFB.utils.cfb_del(file, '/\u0001Sh33tJ5');
  return Buffer.from(CFB.write(file, { type: 'buffer' }));
}
