/** What tests look for on a page, as scripts for `page.evaluate`, and the languages they look in. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { eachMessage, readMessages } from '../../scripts/messages.ts';

export const LANGUAGES_FOLDER = join(import.meta.dirname, '../../resources/languages');

/** BCP 47 tags. */
export const LANGUAGES = readdirSync(LANGUAGES_FOLDER)
  .filter((file) => file.endsWith('.json'))
  .map((file) => file.slice(0, -'.json'.length));

/** Labels that are cut, and what goes over the window, by their texts. */
export const CUT = `(() => {
  const labels = '.mantine-Button-label, .mantine-SegmentedControl-label, .mantine-Tabs-tabLabel, .mantine-Badge-label, h1, h2, th';
  const cut = [...document.querySelectorAll(labels)]
    .filter((one) => one.getClientRects().length > 0 && one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).overflowX !== 'visible');
  const spilt = [...document.querySelectorAll('button')]
    .filter((one) => one.clientWidth > 0 && one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).overflowX === 'visible');
  const over = document.documentElement.scrollWidth - document.documentElement.clientWidth;
  return [...[...cut, ...spilt].map((one) => one.textContent.trim()).filter((text) => text !== ''), ...(over > 0 ? ['the page, by ' + over] : [])];
})()`;

/** Texts that lie over each other. */
export const OVERLAPS = `(() => {
  const isShown = (one) => one.checkVisibility({ visibilityProperty: true, opacityProperty: true });
  const isLayer = (one) =>
    one.matches('[data-portal], [role="dialog"], [role="menu"], [role="listbox"]') ||
    ['fixed', 'sticky'].includes(getComputedStyle(one).position);
  const layer = (one) => one === null || isLayer(one) ? one : layer(one.parentElement);
  const clipped = (one, box) => {
    for (let at = one; at !== null; at = at.parentElement) {
      const style = getComputedStyle(at);
      if (style.overflowX === 'visible' && style.overflowY === 'visible') continue;
      const edge = at.getBoundingClientRect();
      box = {
        left: Math.max(box.left, edge.left), right: Math.min(box.right, edge.right),
        top: Math.max(box.top, edge.top), bottom: Math.min(box.bottom, edge.bottom),
      };
    }
    return box;
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const texts = [];
  while (walker.nextNode()) {
    const node = walker.currentNode;
    const one = node.parentElement;
    if (node.textContent.trim() === '' || !isShown(one) || one.closest('svg, .hidden-text, [aria-hidden="true"]') !== null) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    for (const rect of range.getClientRects()) {
      const box = clipped(one, rect);
      if (box.right - box.left > 3 && box.bottom - box.top > 3) texts.push({ node, box, layer: layer(one), text: node.textContent.trim().slice(0, 40) });
    }
  }
  const found = [];
  for (const [index, one] of texts.entries()) {
    for (const other of texts.slice(index + 1)) {
      if (one.node === other.node || one.layer !== other.layer) continue;
      const width = Math.min(one.box.right, other.box.right) - Math.max(one.box.left, other.box.left);
      const height = Math.min(one.box.bottom, other.box.bottom) - Math.max(one.box.top, other.box.top);
      const low = Math.min(one.box.bottom - one.box.top, other.box.bottom - other.box.top);
      if (width > 3 && height > low / 3) found.push('over each other: ' + one.text + ' | ' + other.text);
    }
  }
  return found;
})()`;

/** Texts that are seen, and names that are heard. */
export const TEXTS = `(() => {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const texts = [];
  while (walker.nextNode()) texts.push(walker.currentNode.textContent.trim());
  for (const one of document.querySelectorAll('[aria-label], [placeholder], [title]')) {
    texts.push(one.ariaLabel ?? '', one.getAttribute('placeholder') ?? '', one.getAttribute('title') ?? '');
  }
  return texts;
})()`;

/**
 * Texts with words of English that a window in another script shows: two small words side by side, outside of code, of
 * texts that are marked as in another language, and of names.
 */
export const ENGLISH = `(() => {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const found = [];
  while (walker.nextNode()) {
    const { parentElement, textContent } = walker.currentNode;
    if (parentElement.closest('code, pre, script, style, [dir="ltr"]') !== null || !parentElement.checkVisibility()) continue;
    if (parentElement.closest('[lang]')?.lang !== document.documentElement.lang) continue;
    if (/[^\\0-\\u024f\\u2000-\\u206f]/.test(textContent)) continue;
    if (/(?:^|[ (])[A-Za-z]?[a-z]{2,} [a-z]{2,}/.test(textContent)) found.push(textContent.trim());
  }
  return found;
})()`;

/** English messages of two words and more that another language says otherwise. */
export function englishOnly(language: string): Set<string> {
  const translated = new Map(eachMessage(readMessages(join(LANGUAGES_FOLDER, `${language}.json`))));
  return new Set(
    [...eachMessage(readMessages(join(LANGUAGES_FOLDER, 'en.json')))]
      .filter(([path, text]) => /\p{L}+ \p{L}+/u.test(text) && !text.includes('{') && translated.get(path) !== text)
      .map(([, text]) => text),
  );
}

/** The language of the window from the next page on. */
export async function speak(page: Page, language: string): Promise<void> {
  await page.evaluate(`localStorage.setItem('quarry.language', '${language}')`);
}
