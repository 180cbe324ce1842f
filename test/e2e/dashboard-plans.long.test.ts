import { describe, expect, test } from 'vitest';
import { HAS_BROWSER } from '../harness/browser.ts';
import { useDashboard } from '../harness/dashboard.ts';
import { entryOf, newCustomer, paid } from '../harness/wallets.ts';

const dashboard = useDashboard();

describe.skipIf(!HAS_BROWSER)('the limits page', () => {
  test('lists a wallet that paid, and a plan that is set there counts with its next paid request', async () => {
    const { appliance } = dashboard;
    const customer = await newCustomer(appliance);
    const entry = await entryOf(appliance, 'search');
    const policy = async () => {
      const request = paid({ query: 'tide', mode: 'lexical' }, await customer.proofOf(entry));
      const answer = await appliance.anonymous('/v1/search', request);
      expect(answer.status).toBe(200);
      return answer.headers.get('ratelimit-policy');
    };
    expect(await policy()).toBe('"default";q=600;w=60');

    const page = await dashboard.open('/limits');
    const changes = page.getByRole('button', { name: /^Change plan: / });
    await expect.poll(() => changes.count()).toBe(2);
    await page.getByText('Owner, never limited').waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type(customer.accountId.slice(0, 12));
    await expect.poll(() => changes.count()).toBe(1);
    // Two clicks.
    await page.getByRole('button', { name: `Change plan: ${customer.accountId}` }).click();
    await page.getByRole('menuitem', { name: /^Production/ }).click();
    await page.getByText(/is now on the plan Production/).waitFor();
    expect(await policy()).toBe('"default";q=2400;w=60');
    // Its window shows beside the address's, under its own plan.
    await page.getByText('2 of 2,400').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText(/is on the plan Studio again/).waitFor();
    expect(await policy()).toBe('"default";q=600;w=60');
    await page.getByRole('searchbox', { name: 'Find an account' }).fill('127.0');
    await page.getByRole('button', { name: /^Change plan: ip:/ }).waitFor();
    await expect.poll(() => changes.count()).toBe(1);
    await page.getByRole('searchbox', { name: 'Find an account' }).fill('0xnobody');
    await page.getByText('No account matches “0xnobody”').waitFor();
  });
});
