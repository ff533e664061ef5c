import { readFile } from 'node:fs/promises';
import type { Locator } from 'playwright-core';
import type { OverviewDto } from '../../src/modules/admin/statistics/overview.dto';
import type { UserUsageDto } from '../../src/modules/admin/statistics/usage-statistics.dto';
import type { PriceDto } from '../../src/modules/pricing/administration/price.dto';
import { createAdmin, createUser, type TestAccount } from '../support/accounts';
import { AdminClient } from '../support/admin-client';
import { makeBudget } from '../support/budgets';
import { ChatClient, uniqueContent } from '../support/chat-client';
import { type ConsoleApp, startConsoleApp } from '../support/console-app';
import { ConsoleLooks } from '../support/console-looks';
import { ConsolePage } from '../support/console-page';
import { parseCsv } from '../support/csv';
import { eventually } from '../support/eventually';

const USAGE = { prompt_tokens: 1_000_000, completion_tokens: 100_000, total_tokens: 1_100_000 };

describe('prices and costs in the console', () => {
  let app: ConsoleApp;
  let admin: AdminClient;
  let user: TestAccount;
  let at: ConsolePage;
  let looks: ConsoleLooks;

  beforeAll(async () => {
    app = await startConsoleApp();
    admin = await AdminClient.of(app);
    user = await createUser(app);
    at = new ConsolePage(await app.visit(await createAdmin(app)));
    looks = new ConsoleLooks(at.page);
  });

  afterAll(() => app.close());

  const faults = async (name: string): Promise<void> => {
    await looks.settled();
    expect(await looks.faults(name)).toEqual([]);
  };
  const prices = () => admin.items<PriceDto>('/admin/prices?size=100');
  const row = (text: string) => at.page.locator('tbody tr').filter({ hasText: text });

  /** Sends a message whose reply uses a million prompt tokens and a tenth of that for the reply. */
  async function ask(model: string, account = user): Promise<ChatClient> {
    const client = new ChatClient(app.url, account.token);
    const key = uniqueContent();
    await app.model.script({ key, steps: [{ text: 'Hello' }], usage: USAGE });
    const agent = await admin.post<{ id: number }>('/agents', { name: key.slice(-30), model });
    const chat = await client.createChat({ agent_id: agent.body.data.id, title: 'Given' });
    expect((await client.send(chat.id, key)).status).toBe(200);
    return client;
  }

  describe('prices', () => {
    it("offers the release's price list first, and imports only the reviewed prices", async () => {
      await at.open('admin/prices', 'Prices');
      await at.press('Review list');
      await at.dialog.getByText(/as of/).waitFor();
      await at.dialog.getByLabel('Name of “default” in the list').selectOption('openai');
      await faults('price-mapping');
      await at.answer('Preview changes');
      await at.dialog
        .getByRole('cell', { name: /gpt-4o-mini/ })
        .first()
        .waitFor();
      expect(await prices()).toEqual([]);
      await faults('price-differences');
      await at.dialog.getByRole('button', { name: /^Import \d+ prices$/ }).click();
      await at.dialog.waitFor({ state: 'detached' });
      const taken = await prices();
      expect(new Set(taken.map(({ provider }) => provider))).toEqual(new Set(['default']));
      await at.fill('Model', 'gpt-4o-mini');
      await row('gpt-4o-mini').first().waitFor();
      await faults('prices');
    });

    it('imports a LiteLLM file, and shows new, changed and omitted prices', async () => {
      const litellm_provider = 'openai';
      const list = {
        'gpt-4o-mini': { litellm_provider, input_cost_per_token: 3e-7, output_cost_per_token: 6e-7 },
        brandnew: { litellm_provider, input_cost_per_token: 1e-6, output_cost_per_token: 2e-6 },
        finest: { litellm_provider, input_cost_per_token: 1.23456789e-6, output_cost_per_token: 0 },
      };
      const choose = (text: string) =>
        at.dialog
          .getByLabel('File', { exact: true })
          .setInputFiles({ name: 'prices.json', mimeType: 'application/json', buffer: Buffer.from(text) });
      await at.open('admin/prices', 'Prices');
      await at.press('Import prices');
      await at.dialog.getByLabel('List').selectOption('litellm');
      await choose('{');
      await at.answer('Next');
      await at.dialog.getByText('This file is not valid JSON.').waitFor();
      await choose(JSON.stringify(list));
      await at.answer('Next');
      await at.dialog.getByLabel('Name of “default” in the list').selectOption('openai');
      await at.answer('Preview changes');
      await at.dialog.getByText('1 new, 1 changed, 0 unchanged, 1 skipped').waitFor();
      const [changed, left] = ['gpt-4o-mini', 'finest'].map((model) => at.dialog.getByRole('row', { name: model }));
      expect(await changed!.getByRole('cell').allInnerTexts()).toEqual([
        'gpt-4o-mini\ndefault',
        'changed',
        'Prompt: 0.15\nCached prompt: 0.075',
        'Prompt: 0.3\nCached prompt: —',
      ]);
      await left!.getByText('Too many decimals').waitFor();
      await faults('price-changes');
      await at.answer('Import 2 prices');
      await at.says('Imported: 1 new, 1 changed.');
      const inputs = (await admin.items<PriceDto>('/admin/prices?q=gpt-4o-mini')).map(({ input }) => input);
      expect(inputs).toEqual(expect.arrayContaining(['0.15', '0.3']));
    });

    it('adds a price with a tier, and deletes it unless a cost was calculated with it', async () => {
      await at.open('admin/prices', 'Prices');
      await at.press('Add price');
      await at.dialog.getByLabel('Model', { exact: true }).fill('dear*');
      await at.dialog.getByLabel('Prompt', { exact: true }).fill('2');
      await at.dialog.getByLabel('Reply', { exact: true }).fill('ten');
      await at.dialog.getByLabel('Cache write (1 hour)').fill('3');
      await at.dialog.getByLabel('Per web search').fill('0.01');
      await at.press('Add tier', at.dialog);
      await at.dialog.getByLabel('From tokens').fill('200001');
      await at.dialog.getByLabel('Prompt', { exact: true }).last().fill('4');
      await at.answer('Create');
      await at.dialog.getByText('Invalid format. Follow the hint for this field.').waitFor();
      await faults('new-price');
      await at.dialog.getByLabel('Reply', { exact: true }).first().fill('10');
      await at.answer('Create');
      await at.says('Price for “dear*” added.');
      const [added] = await admin.items<PriceDto>('/admin/prices?q=dear');
      expect(added).toMatchObject({
        model: 'dear*',
        input: '2',
        output: '10',
        cache_write_1h: '3',
        per_web_search: '0.01',
        tiers: [{ min_context: 200001, input: '4' }],
      });
      await at.open('admin/prices?q=dear', 'Prices');
      await at.press('Actions for dear*');
      await at.press('Delete');
      await at.answer('Delete');
      await at.says('Price deleted.');
      expect(await admin.items<PriceDto>('/admin/prices?q=dear')).toEqual([]);
    });

    it('shows usage without a price, and recalculates past costs once there is one', async () => {
      await ask('late');
      await at.open('admin/prices', 'Prices');
      await at.press('Add price for late');
      await at.dialog.getByLabel('Prompt', { exact: true }).fill('1');
      await at.dialog.getByLabel('Reply', { exact: true }).fill('5');
      await at.dialog.getByLabel('Valid from').fill('2026-01-01T00:00');
      await at.answer('Create');
      await at.says('Price for “late” added.');
      await at.press('Recalculate costs');
      await at.dialog.getByLabel('Reason').fill('The price came late.');
      await at.answer('Preview');
      await at.dialog.getByText('Nothing has changed yet.', { exact: false }).waitFor();
      await at.dialog.getByText('$1.50').waitFor();
      await faults('recompute');
      await at.answer('Apply changes');
      await at.dialog.getByText('Costs recalculated.').waitFor();
      await at.answer('Done');
      await eventually(async () => (await at.page.getByRole('button', { name: 'Add price for late' }).count()) === 0);
      const used = await admin.items<{ cost: string }>('/admin/stats/usage?group_by=model&model=late');
      expect(used).toMatchObject([{ cost: '1.5' }]);
    });
  });

  describe('models without a price', () => {
    const makeAgent = (model: string) => admin.post<{ id: number }>('/agents', { name: `Agent of ${model}`, model });

    it('are named in a new budget, which is soft at first, and get their price there', async () => {
      await makeAgent('priceless');
      await at.open('admin/budgets', 'Budgets');
      await at.press('Create budget');
      const kind = at.dialog.getByLabel('Type');
      expect(await kind.inputValue()).toBe('soft');
      await at.dialog.getByText(/\d models have no price\. This budget does not count what they cost\./).waitFor();
      await kind.selectOption('hard');
      await at.dialog.getByText(/^This budget rejects \d models because they have no price\./).waitFor();
      await at.dialog.getByLabel('Applies to', { exact: true }).selectOption('agent');
      await at.dialog.getByLabel('Agent', { exact: true }).fill('Agent of priceless');
      await at.dialog.getByText('This budget rejects 1 model because it has no price.').waitFor();
      await at.dialog.getByText('default:priceless').waitFor();
      await faults('unpriced-models');
      await at.press('Add price for priceless', at.dialog);
      const form = at.dialog.last();
      await form.getByLabel('Prompt', { exact: true }).fill('1');
      await form.getByLabel('Reply', { exact: true }).fill('5');
      await at.press('Create', form);
      await at.dialog.getByText('Price for “priceless” added.').waitFor();
      await at.dialog.getByText('default:priceless').waitFor({ state: 'detached' });
      expect(await kind.inputValue()).toBe('hard');
    });

    it('are named where a hard budget refuses them: in the overview, in budgets and in prices', async () => {
      const agent = await makeAgent('refused');
      const note = 'Refuses one.';
      const budget = await makeBudget(admin, { scope: 'agent', scope_id: agent.body.data.id, limit: '5', note });
      await at.open('admin/overview', 'Overview');
      const item = at.page.getByRole('listitem').filter({ hasText: 'default:refused has no price.' });
      await item.getByText('Hard budgets that reject it: 1.').waitFor();
      await item.getByRole('link', { name: 'View' }).click();
      await at.heading('Prices');
      const named = at.page.getByRole('listitem').filter({ hasText: 'default:refused' });
      await named.getByText('rejected by hard budgets').waitFor();
      await faults('prices-of-refused-models');
      await at.open('admin/budgets', 'Budgets');
      await at.says('Hard budgets reject 1 model because it has no price. Users of its agents get an error.');
      await row(note).getByText('rejects 1 model without a price').waitFor();
      await faults('budgets-that-refuse');
      await at.press('Add price for refused');
      await at.dialog.getByLabel('Prompt', { exact: true }).fill('1');
      await at.dialog.getByLabel('Reply', { exact: true }).fill('5');
      await at.answer('Create');
      await row(note).getByText('rejects 1 model').waitFor({ state: 'detached' });
      await admin.delete(`/admin/budgets/${budget.id}`);
    });
  });

  describe('costs', () => {
    it('are in the overview: for today, for this month, and the forecast for the month', async () => {
      await at.open('admin/overview', 'Overview');
      const { data } = (await admin.get<OverviewDto>('/admin/stats/overview')).body;
      const dollars = (amount: number) => amount.toLocaleString('en', { style: 'currency', currency: 'USD' });
      const figure = (label: string) =>
        at.page.locator('.figure').filter({ has: at.page.getByText(label, { exact: true }) });
      await figure('Cost today')
        .getByText(dollars(Number(data.today.cost)), { exact: true })
        .waitFor();
      const [year = 0, month = 0, day = 0] = (data.days.at(-1)?.date ?? '').split('-').map(Number);
      const daysOfMonth = new Date(Date.UTC(year, month, 0)).getUTCDate();
      const forecast = dollars((Number(data.this_month.cost) / day) * daysOfMonth);
      await figure('Forecast for this month').getByText(forecast, { exact: true }).waitFor();
      await at.tells('The forecast is the average daily cost this month');
      await faults('overview');
    });

    it('are broken down by model and by provider, and missing prices are not shown as zero', async () => {
      await ask('free-of-price');
      await at.open('admin/usage?group_by=model&sort=-cost', 'Usage explorer');
      await row('late').getByText('$', { exact: false }).first().waitFor();
      await row('free-of-price').getByText('no price').waitFor();
      await at.page.getByLabel('Metric').selectOption('cost');
      await at.page.getByRole('heading', { name: 'Cost', exact: true }).waitFor();
      await faults('usage-by-model');
      await at.page.getByLabel('Group by').selectOption('provider');
      await row('default')
        .getByText(/\+ \d without a price/)
        .waitFor();
      expect(await at.page.getByLabel('Agent', { exact: true }).count()).toBe(0);
    });

    it('link each figure to its requests, with the price of each', async () => {
      const { id, username } = user.user;
      const place = () => Object.fromEntries(new URL(at.page.url()).searchParams);
      const follow = async (link: Locator): Promise<void> => {
        await link.click();
        await at.heading('Costs');
      };
      const figure = (label: string) =>
        at.page.locator('.figure').filter({ has: at.page.getByText(label, { exact: true }) });
      await admin.post('/admin/prices', { model: 'charged', input: '1', output: '5', cached_input: '0.25' });
      await ask('charged');
      await at.open('admin/usage?group_by=model', 'Usage explorer');
      await follow(row('charged').getByRole('link', { name: '$1.50' }));
      expect(place()).toEqual({ model: 'charged', from: expect.stringMatching(/^\d{4}-\d\d-\d\d$/) });
      await row('default · charged').getByText('$1.00 / $5.00').click();
      await row('default · charged').getByText('Cached prompt').waitFor();
      await row('default · charged').getByRole('link', { name: username }).waitFor();
      await faults('costs');

      await at.open(`admin/users/${id}`, username);
      const total = (await admin.get<UserUsageDto>(`/admin/users/${id}/usage`)).body.data.total.cost;
      await follow(figure('Cost').getByRole('link'));
      expect(place()).toMatchObject({ user_id: String(id) });
      const download = at.page.waitForEvent('download');
      await at.press('Export CSV');
      const { rows } = parseCsv(await readFile(await (await download).path(), 'utf8'));
      expect(rows.reduce((sum, { cost }) => sum + Number(cost), 0)).toBeCloseTo(Number(total));
      const agent = JSON.parse(rows.find(({ model }) => model === 'charged')!.agent!) as { id: number; name: string };

      await at.open(`admin/agents/${agent.id}?tab=statistics`, agent.name);
      await follow(figure('Cost').getByRole('link', { name: '$1.50' }));
      await row('charged').waitFor();
      await at.open('admin/overview', 'Overview');
      await follow(figure('Cost today').getByRole('link'));
      await row('charged').waitFor();
    });

    it('are exported as a file for the finance department', async () => {
      await at.open('admin/usage?group_by=group', 'Usage explorer');
      const download = at.page.waitForEvent('download');
      await at.press('Export FOCUS');
      const { rows } = parseCsv(await readFile(await (await download).path(), 'utf8'));
      expect(rows).toContainEqual(expect.objectContaining({ ResourceId: 'late', BillingCurrency: 'USD' }));
    });
  });
});
