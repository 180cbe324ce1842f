import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { type BoundedModule, boundedModule } from '../wasm-memory.ts';
import {
  checkSize,
  DECODER_MEMORY_MAX_BYTES,
  damagedImage,
  type Frame,
  greyFile,
  runBoundedDecoder,
} from './pixels.ts';

const LIBRARY = 'libheif-js/libheif-wasm/libheif';

/** The part of libheif-js that is used. Its class HeifDecoder writes to the console. */
interface Libheif {
  heif_context_alloc(): object;
  heif_context_read_from_memory(context: object, bytes: Uint8Array): HeifError;
  heif_js_context_get_list_of_top_level_image_IDs(context: object): number[] | HeifError;
  heif_js_context_get_image_handle(context: object, id: number): Handle | HeifError;
  heif_image_handle_get_width(handle: Handle): number;
  heif_image_handle_get_height(handle: Handle): number;
  heif_image_handle_release(handle: Handle): void;
  heif_js_decode_image2(handle: Handle, colorspace: object, chroma: object): Decoded | HeifError;
  heif_image_release(image: object): void;
  heif_error_code: { heif_error_Ok: object };
  heif_colorspace: { heif_colorspace_RGB: object };
  heif_chroma: { heif_chroma_interleaved_RGBA: object };
  heif_channel: { heif_channel_interleaved: object };
}

type Handle = object & { code?: never };

interface HeifError {
  code: object;
}

interface Decoded {
  code?: never;
  image: object;
  channels: { id: object; width: number; height: number; stride: number; data: Uint8Array }[];
}

/** The pictures of a HEIC or HEIF file, rotated as it says. Errors: `source_too_large`, `corrupt_input`. */
export async function heifFrames(bytes: Buffer): Promise<Frame[]> {
  const { library, bounded } = await loadLibheif();
  const context = library.heif_context_alloc();
  const ids = await runBoundedDecoder(bounded, async () => {
    const read = library.heif_context_read_from_memory(context, bytes);
    if (read.code !== library.heif_error_code.heif_error_Ok) throw damagedImage(read);
    return library.heif_js_context_get_list_of_top_level_image_IDs(context);
  });
  if (!Array.isArray(ids) || ids.length === 0) throw damagedImage('no picture');
  const decodeOne = async (id: number) => {
    const handle = library.heif_js_context_get_image_handle(context, id);
    if (handle.code !== undefined) throw damagedImage('no handle');
    try {
      return decodeHeifPixels(library, handle);
    } finally {
      library.heif_image_handle_release(handle);
    }
  };
  return ids.map((id) => () => runBoundedDecoder(bounded, () => decodeOne(id)));
}

/** A library per file: its memory never shrinks. */
async function loadLibheif(): Promise<{ library: Libheif; bounded: BoundedModule }> {
  const require = createRequire(import.meta.url);
  const bounded = boundedModule(await readFile(require.resolve(`${LIBRARY}.wasm`)), DECODER_MEMORY_MAX_BYTES);
  const open = require(`${LIBRARY}.js`) as (options: object) => Libheif;
  return { library: open({ ...bounded, print: () => {}, printErr: () => {} }), bounded };
}

function decodeHeifPixels(library: Libheif, handle: Handle): Uint8Array {
  checkSize(library.heif_image_handle_get_width(handle), library.heif_image_handle_get_height(handle));
  const { heif_colorspace_RGB: colour } = library.heif_colorspace;
  const { heif_chroma_interleaved_RGBA: chroma } = library.heif_chroma;
  const result = library.heif_js_decode_image2(handle, colour, chroma);
  if (result.code !== undefined) throw damagedImage(result);
  try {
    const { heif_channel_interleaved: interleaved } = library.heif_channel;
    const channel = result.channels.find(({ id }) => id === interleaved);
    if (channel === undefined) throw damagedImage('no pixels');
    return greyFile(channel);
  } finally {
    library.heif_image_release(result.image);
  }
}
