import { readFile } from 'node:fs/promises';
import type { OverviewDto } from '../../src/modules/admin/statistics/overview.dto';
import type { PriceDto } from '../../src/modules/pricing/administration/price.dto';
import { createAdmin, createUser, type TestAccount } from '../support/accounts';
import { AdminClient } from '../support/admin-client';
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

  /** Sends a message whose reply uses a million tokens of the prompt and a tenth of that for itself. */
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
    it('offers the list of the release at first, and takes of it only what was seen', async () => {
      await at.open('admin/prices', 'Prices');
      await at.press('See the list');
      await at.dialog.getByText(/as of/).waitFor();
      await at.dialog.getByLabel('“default” in the list').selectOption('openai');
      await faults('price-mapping');
      await at.answer('See what would change');
      await at.dialog
        .getByRole('cell', { name: /gpt-4o-mini/ })
        .first()
        .waitFor();
      expect(await prices()).toEqual([]);
      await faults('price-differences');
      await at.dialog.getByRole('button', { name: /^Take \d+ prices$/ }).click();
      await at.dialog.waitFor({ state: 'detached' });
      const taken = await prices();
      expect(new Set(taken.map(({ provider }) => provider))).toEqual(new Set(['default']));
      await at.fill('Model', 'gpt-4o-mini');
      await row('gpt-4o-mini').first().waitFor();
      await faults('prices');
    });

    it('takes a file of LiteLLM, and shows what is new, what changes and what is left out', async () => {
      const litellm_provider = 'openai';
      const list = {
        'gpt-4o-mini': { litellm_provider, input_cost_per_token: 3e-7, output_cost_per_token: 6e-7 },
        brandnew: { litellm_provider, input_cost_per_token: 1e-6, output_cost_per_token: 2e-6 },
        finest: { litellm_provider, input_cost_per_token: 1.23456789e-6, output_cost_per_token: 0 },
      };
      const choose = (text: string) =>
        at.dialog
          .getByLabel('File')
          .setInputFiles({ name: 'prices.json', mimeType: 'application/json', buffer: Buffer.from(text) });
      await at.open('admin/prices', 'Prices');
      await at.press('Import prices');
      await at.dialog.getByLabel('List').selectOption('litellm');
      await choose('{');
      await at.answer('Next');
      await at.dialog.getByText('This file is no JSON.').waitFor();
      await choose(JSON.stringify(list));
      await at.answer('Next');
      await at.dialog.getByLabel('“default” in the list').selectOption('openai');
      await at.answer('See what would change');
      await at.dialog.getByText('1 new, 1 changed, 0 the same, 1 left out').waitFor();
      const [changed, left] = ['gpt-4o-mini', 'finest'].map((model) => at.dialog.getByRole('row', { name: model }));
      expect(await changed!.getByRole('cell').allInnerTexts()).toEqual([
        'gpt-4o-mini\ndefault',
        'changed',
        'Prompt: 0.15\nCached prompt: 0.075',
        'Prompt: 0.3\nCached prompt: —',
      ]);
      await left!.getByText('More decimals than can be kept').waitFor();
      await faults('price-changes');
      await at.answer('Take 2 prices');
      await at.says('Imported: 1 new, 1 changed.');
      const inputs = (await admin.items<PriceDto>('/admin/prices?q=gpt-4o-mini')).map(({ input }) => input);
      expect(inputs).toEqual(expect.arrayContaining(['0.15', '0.3']));
    });

    it('adds one with a tier, and deletes it as long as nothing was counted with it', async () => {
      await at.open('admin/prices', 'Prices');
      await at.press('New price');
      await at.dialog.getByLabel('Model', { exact: true }).fill('dear*');
      await at.dialog.getByLabel('Prompt', { exact: true }).fill('2');
      await at.dialog.getByLabel('Reply', { exact: true }).fill('ten');
      await at.press('Add a tier', at.dialog);
      await at.dialog.getByLabel('From tokens').fill('200001');
      await at.dialog.getByLabel('Prompt', { exact: true }).last().fill('4');
      await at.answer('Create');
      await at.dialog.getByText('This contains something that is not allowed here.').waitFor();
      await faults('new-price');
      await at.dialog.getByLabel('Reply', { exact: true }).first().fill('10');
      await at.answer('Create');
      await at.says('The price of “dear*” is added.');
      const [added] = await admin.items<PriceDto>('/admin/prices?q=dear');
      expect(added).toMatchObject({
        model: 'dear*',
        input: '2',
        output: '10',
        tiers: [{ min_context: 200001, input: '4' }],
      });
      await at.open('admin/prices?q=dear', 'Prices');
      await at.press('Actions for dear*');
      await at.press('Delete');
      await at.answer('Delete');
      await at.says('The price is deleted.');
      expect(await admin.items<PriceDto>('/admin/prices?q=dear')).toEqual([]);
    });

    it('shows what was used without a price, and mends the past once there is one', async () => {
      await ask('late');
      await at.open('admin/prices', 'Prices');
      await at.press('New price for late');
      await at.dialog.getByLabel('Prompt', { exact: true }).fill('1');
      await at.dialog.getByLabel('Reply', { exact: true }).fill('5');
      await at.dialog.getByLabel('Valid from').fill('2026-01-01T00:00');
      await at.answer('Create');
      await at.says('The price of “late” is added.');
      await at.press('Recompute costs');
      await at.dialog.getByLabel('Reason').fill('The price came late.');
      await at.answer('See what would come out');
      await at.dialog.getByText('Nothing is changed yet.', { exact: false }).waitFor();
      await at.dialog.getByText('$1.50').waitFor();
      await faults('recompute');
      await at.answer('Change these costs');
      await at.dialog.getByText('The costs are recomputed.').waitFor();
      await at.answer('Done');
      await eventually(async () => (await at.page.getByRole('button', { name: 'New price for late' }).count()) === 0);
      const used = await admin.items<{ cost: string }>('/admin/stats/usage?group_by=model&model=late');
      expect(used).toMatchObject([{ cost: '1.5' }]);
    });
  });

  describe('costs', () => {
    it('are in the overview: of today, of this month, and what the month comes to', async () => {
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
      await figure('Whole month, if it goes on so').getByText(forecast, { exact: true }).waitFor();
      await at.tells('The forecast is the cost of this month by its days so far');
      await faults('overview');
    });

    it('are explored by model and by provider, and those without a price are no zeros', async () => {
      await ask('free-of-price');
      await at.open('admin/usage?group_by=model&sort=-cost', 'Usage explorer');
      await row('late').getByText('$', { exact: false }).first().waitFor();
      await row('free-of-price').getByText('no price').waitFor();
      await at.page.getByLabel('In the plot').selectOption('cost');
      await at.page.getByRole('heading', { name: 'Cost', exact: true }).waitFor();
      await faults('usage-by-model');
      await at.page.getByLabel('Group by').selectOption('provider');
      await row('default')
        .getByText(/\+ \d without a price/)
        .waitFor();
      expect(await at.page.getByLabel('Agent', { exact: true }).count()).toBe(0);
    });

    it('are a file for the finance department', async () => {
      await at.open('admin/usage?group_by=group', 'Usage explorer');
      const download = at.page.waitForEvent('download');
      await at.press('Costs as FOCUS');
      const { rows } = parseCsv(await readFile(await (await download).path(), 'utf8'));
      expect(rows).toContainEqual(expect.objectContaining({ ResourceId: 'late', BillingCurrency: 'USD' }));
    });
  });
});
