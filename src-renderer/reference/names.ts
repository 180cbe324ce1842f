/**
 * Gives controls of Scalar the names and states that assistive technology needs and Scalar leaves out. Each rule
 * selects what lacks something, so it does nothing once Scalar has it.
 */
const RULES: readonly [selector: string, mend: (element: HTMLElement) => void][] = [
  ['button[role="none"]', (button) => button.removeAttribute('role')],
  ['button:not([aria-label])', (button) => nameButton(button)],
  ['.cm-content:not([aria-label])', (editor) => editor.setAttribute('aria-label', 'Code')],
  ['[role="combobox"]:not([aria-expanded])', (box) => box.setAttribute('aria-expanded', 'false')],
  ['button[aria-controls]', (button) => dropDanglingControls(button)],
  ['.cm-scroller[tabindex="-1"]', (scroller) => scroller.setAttribute('tabindex', '0')],
  ['.response-card-footer:not([tabindex])', (footer) => footer.setAttribute('tabindex', '0')],
  ['.response-card[role="region"]', (card) => card.setAttribute('role', 'group')],
  [
    '.scalar-app-layout > section[aria-label^="Notifications alt"]',
    (section) => section.setAttribute('aria-label', 'Notifications of requests'),
  ],
];

function nameButton(button: HTMLElement): void {
  const isNamed = button.hasAttribute('aria-labelledby') || button.title !== '' || button.textContent?.trim() !== '';
  const isCopying = button.className.includes('copy-button');
  if (isCopying) button.setAttribute('aria-label', 'Copy');
  else if (!isNamed) button.setAttribute('aria-label', 'More');
}

function dropDanglingControls(button: HTMLElement): void {
  const id = button.getAttribute('aria-controls') ?? '';
  if (document.getElementById(id) === null) button.removeAttribute('aria-controls');
}

function mendAll(): void {
  for (const [selector, mend] of RULES) {
    for (const element of document.querySelectorAll<HTMLElement>(selector)) mend(element);
  }
  // The page behind an open client is neither read nor reached.
  const isOpen = document.querySelector('.scalar-client--open') !== null;
  document.querySelector<HTMLElement>('.references-rendered')?.toggleAttribute('inert', isOpen);
}

/** Mends the page now and after each change, at most once a frame. */
export function keepNames(): void {
  let waiting = false;
  const observer = new MutationObserver(() => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      mendAll();
    });
  });
  observer.observe(document.body, { childList: true, subtree: true, attributeFilter: ['class'] });
  mendAll();
}
