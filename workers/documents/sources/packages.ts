import type { ParseOptions } from '../blocks.ts';
import { openPackage } from '../zip-package.ts';
import { type OfficeSource, relationsOf } from './office.ts';
import { countPresentation } from './presentation.ts';
import { countWord } from './word.ts';

export async function countDocx(bytes: Buffer, options: ParseOptions): Promise<void> {
  countWord(await openOffice(bytes, options, 'word/document.xml'));
}

export async function countPptx(bytes: Buffer, options: ParseOptions): Promise<void> {
  countPresentation(await openOffice(bytes, options, 'ppt/presentation.xml'));
}

/** `usual` names the main part of a package that does not name it. */
export async function openOffice(
  bytes: Buffer,
  { ledger, includeComments }: ParseOptions,
  usual: string,
): Promise<OfficeSource> {
  const source = await openPackage(bytes);
  const main = relationsOf(source, '').find(({ type }) => type === 'officeDocument')?.target ?? usual;
  return { source, main, ledger, includeComments };
}
