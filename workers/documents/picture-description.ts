/** A description that is only a file name is useless to readers. */
const FILE_NAME = /^\S+\.(?:png|jpe?g|gif|bmp|tiff?|svg|emf|wmf|webp)$/i;

/** The alternative text of a picture; null where it has none for readers. */
export function pictureDescription(stated: string | null): string | null {
  const text = (stated ?? '').trim();
  return text === '' || FILE_NAME.test(text) ? null : text;
}
