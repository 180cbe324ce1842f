/**
 * Gives the page a clipboard where the browser has none: on plain http, where linked devices open this window. The
 * older command works there.
 */
export function ensureClipboard(): void {
  if ('clipboard' in navigator) return;
  Object.defineProperty(navigator, 'clipboard', { value: { writeText } });
}

async function writeText(text: string): Promise<void> {
  const area = document.createElement('textarea');
  area.value = text;
  area.readOnly = true;
  area.style.position = 'fixed';
  area.style.opacity = '0';
  // Inside an open dialog, which keeps the focus.
  (document.activeElement?.closest('[role="dialog"]') ?? document.body).append(area);
  area.select();
  const isCopied = document.execCommand('copy');
  area.remove();
  if (!isCopied) throw new Error('This browser does not let the page copy. Select the text and copy it by hand.');
}
