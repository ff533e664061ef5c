import { formatDecimal } from '../../src/common/money/amount';
import { Database } from '../../src/database/database';
import { findRows } from '../../src/database/statements/find';
import { costOfRow } from '../../src/modules/usage/costs/cost-ledger';
import { UsageCostEntity } from '../../src/modules/usage/costs/usage-cost.entity';
import { allHolds, windowsOf } from './budgets';
import { eventually } from './eventually';
import type { InvoicingProvider } from './invoicing-provider';
import type { TestApp } from './test-app';

/** The cost of a ledger row that has a price. */
export function costOf(row: UsageCostEntity): bigint {
  return costOfRow(row) as bigint;
}

export function sumOf(amounts: readonly bigint[]): string {
  return formatDecimal(amounts.reduce((sum, each) => sum + each, 0n));
}

/** Compares the complete ledger and invoice so far, and a budget of the service. @returns the ledger */
export async function expectInvoiced(
  app: TestApp,
  provider: InvoicingProvider,
  budgetId: number,
): Promise<UsageCostEntity[]> {
  // Titles follow their replies, so a read between two of them is inconsistent.
  const { ledger, lines, windows } = await eventually(async () => {
    const before = await rowsOf(app);
    const found = { ledger: before, lines: [...provider.invoice], windows: await windowsOf(app, budgetId) };
    const isWhole = before.filter(({ requests }) => requests > 0).length === found.lines.length;
    const isStill = (await allHolds(app)).length === 0 && (await rowsOf(app)).length === before.length;
    return isWhole && isStill && found.windows.every(({ reserved }) => reserved === '0') ? found : undefined;
  });
  const exact = ledger.filter(({ isEstimated, requests }) => !isEstimated && requests > 0);
  const invoice = lines.flatMap(({ cost }) => cost ?? []);
  expect(sorted(exact.map(costOf))).toEqual(sorted(invoice));
  // If the provider sent nothing, the ledger records that.
  const estimated = ledger.filter(({ isEstimated }) => isEstimated);
  expect(estimated).toHaveLength(lines.filter(({ cost }) => cost === null).length);
  expect(estimated.every(({ promptTokens }) => promptTokens > 0)).toBe(true);
  // Values sent early are kept.
  const early = lines.flatMap((line) => (line.cost === null ? (line.early ?? []) : []));
  const kept = estimated.map(({ promptTokens, cachedTokens, cacheWriteTokens }) =>
    [promptTokens, cachedTokens, cacheWriteTokens].join(),
  );
  for (const { input, cached, written } of early) {
    expect(kept).toContain([input + cached + written, cached, written].join());
  }
  // Refused requests cost nothing.
  expect(ledger.filter(({ requests }) => requests === 0).every((row) => costOf(row) === 0n)).toBe(true);
  expect(windows).toEqual([{ spent: sumOf(ledger.map(costOf)), reserved: '0' }]);
  return ledger;
}

function rowsOf({ app }: TestApp): Promise<UsageCostEntity[]> {
  return findRows(app.get(Database).manager, UsageCostEntity, {}, { order: { id: 'ASC' } });
}

function sorted(amounts: readonly bigint[]): string[] {
  return amounts.map((each) => formatDecimal(each)).toSorted();
}
