/**
 * What a screen reader says of each page, from the accessibility tree of Chromium. With `QUARRY_SCREENSHOTS=1` it is
 * written to `.artefacts/dashboard`, to be read.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CDPSession, Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { HAS_BROWSER } from '../harness/browser.ts';
import { useDashboard } from '../harness/dashboard.ts';
import { fillEveryPage, settled } from './every-page.ts';

const TOUR_TIMEOUT_MS = 1_200_000;

const FOLDER = join(import.meta.dirname, '../../.artefacts/dashboard');

const WIDTHS = [1280, 400];

interface AxValue {
  value?: unknown;
}

interface AxNode {
  nodeId: string;
  ignored: boolean;
  role?: AxValue;
  name?: AxValue;
  childIds?: string[];
  properties?: { name: string; value: AxValue }[];
}

interface Heard {
  role: string;
  name: string;
  depth: number;
  /** Such as `level` of a heading, and what a region says by itself. */
  facts: Map<string, unknown>;
  /** All that is below it. */
  below: Heard[];
}

const dashboard = useDashboard();

let paths: string[] = [];

beforeAll(async () => {
  paths = await fillEveryPage(dashboard.appliance);
});

/** What is heard, in the order of reading. */
async function hear(cdp: CDPSession): Promise<Heard[]> {
  const { nodes } = (await cdp.send('Accessibility.getFullAXTree')) as { nodes: AxNode[] };
  const byId = new Map(nodes.map((node) => [node.nodeId, node]));
  const walk = (id: string, depth: number): Heard[] => {
    const node = byId.get(id);
    if (node === undefined) return [];
    const role = String(node.role?.value ?? '');
    const isSaid = !node.ignored && !['none', 'generic', 'InlineTextBox', 'LineBreak'].includes(role);
    const below = (node.childIds ?? []).flatMap((child) => walk(child, depth + (isSaid ? 1 : 0)));
    if (!isSaid) return below;
    const facts = new Map((node.properties ?? []).map(({ name, value }) => [name, value.value]));
    const heard: Heard = { role, name: String(node.name?.value ?? '').trim(), depth, facts, below };
    return [heard, ...below];
  };
  const [root] = nodes;
  return root === undefined ? [] : walk(root.nodeId, 0);
}

const CONTROLS = new Set([
  ...['button', 'link', 'textbox', 'searchbox', 'combobox', 'checkbox', 'radio', 'switch', 'tab', 'slider'],
  ...['spinbutton', 'menuitem', 'menuitemradio', 'menuitemcheckbox', 'option', 'treeitem', 'listbox', 'Date'],
]);

const LANDMARKS = new Set(['navigation', 'region', 'complementary', 'search']);

/** What is wrong in what is heard, one line each. */
function faults(heard: readonly Heard[]): string[] {
  const wrong: string[] = [];
  const inControls = new Set(
    heard.filter(({ role, name }) => CONTROLS.has(role) && name !== '').flatMap(({ below }) => below),
  );
  for (const one of heard) {
    const { role, name } = one;
    if (CONTROLS.has(role) && name === '') wrong.push(`${role} without a name`);
    if (((role === 'image' && !inControls.has(one)) || role === 'dialog' || LANDMARKS.has(role)) && name === '')
      wrong.push(`${role} without a name`);
  }
  wrong.push(...headingFaults(heard.filter(({ role }) => role === 'heading')));
  const mains = heard.filter(({ role }) => role === 'main').length;
  if (mains !== 1) wrong.push(`${mains} main parts`);
  const landmarks = heard.filter(({ role }) => LANDMARKS.has(role)).map(({ role, name }) => `${role} ${name}`);
  wrong.push(...landmarks.filter((one, index) => landmarks.indexOf(one) !== index).map((one) => `twice: ${one}`));
  for (const table of heard.filter(({ role }) => role === 'table' || role === 'grid')) {
    const heads = table.below.filter(({ role }) => role === 'columnheader' || role === 'rowheader');
    if (heads.length === 0) wrong.push(`table without heads: ${table.name || table.below[0]?.name}`);
    if (table.name === '') wrong.push(`table without a name: ${heads.map(({ name }) => name).join(', ')}`);
  }
  if (!heard.some(({ facts }) => facts.get('live') === 'polite')) wrong.push('nothing says what happens');
  return [...new Set(wrong)];
}

/** A page has one heading of the first level, and no level is left out on the way down. */
function headingFaults(headings: readonly Heard[]): string[] {
  const levels = headings.map(({ facts }) => Number(facts.get('level')));
  const firsts = levels.filter((level) => level === 1).length;
  const wrong = firsts === 1 ? [] : [`${firsts} headings of the first level`];
  const skipped = headings.filter((_, index) => index > 0 && (levels[index] ?? 0) > (levels[index - 1] ?? 0) + 1);
  wrong.push(...skipped.map(({ name }) => `a level is left out before: ${name}`));
  wrong.push(...headings.filter(({ name }) => name === '').map(() => 'an empty heading'));
  return wrong;
}

/** As a screen reader would say it, one line for each thing. */
function said(heard: readonly Heard[]): string {
  const lines = heard.map(({ role, name, depth, facts }) => {
    const states = ['level', 'checked', 'expanded', 'selected', 'disabled', 'invalid', 'live', 'required']
      .filter((fact) => ![undefined, false, 'false', 'off'].includes(facts.get(fact) as string | undefined))
      .map((fact) => `${fact} ${String(facts.get(fact))}`);
    return `${'  '.repeat(depth)}${role}${name === '' ? '' : ` “${name}”`}${states.length > 0 ? ` (${states.join(', ')})` : ''}`;
  });
  return `${lines.join('\n')}\n`;
}

async function keepHeard(path: string, width: number, heard: readonly Heard[]): Promise<void> {
  if (process.env.QUARRY_SCREENSHOTS !== '1') return;
  await mkdir(FOLDER, { recursive: true });
  await writeFile(join(FOLDER, `heard-${width}${path.replaceAll(/[^a-z]+/gi, '-').slice(0, 60)}.txt`), said(heard));
}

/** What is wrong on each page, at each width. */
async function tour(page: Page): Promise<Record<string, string[]>> {
  const cdp = await page.context().newCDPSession(page);
  const wrong: Record<string, string[]> = {};
  for (const path of paths) {
    await dashboard.open(path);
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 800 });
      await settled(page);
      const heard = await hear(cdp);
      await keepHeard(path, width, heard);
      const found = faults(heard);
      if (found.length > 0) wrong[`${width} ${path}`] = found;
    }
  }
  return wrong;
}

describe.skipIf(!HAS_BROWSER)('what is heard (needs chromium)', () => {
  test(
    'each control has a name, headings and tables have their order, and changes are said',
    async () => {
      expect(await tour(dashboard.page)).toEqual({});
    },
    TOUR_TIMEOUT_MS,
  );
});
