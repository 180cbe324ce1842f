import { errorOf, send } from './client.ts';

/** Saves what an address answers as a file, for addresses that a plain link cannot ask as the owner. */
export async function saveAs(path: string, name: string): Promise<void> {
  const answer = await send(path);
  if (!answer.ok) throw await errorOf(answer);
  const url = URL.createObjectURL(await answer.blob());
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
