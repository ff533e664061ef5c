import { UsageGrouping } from '../../usage/usage-report.service';
import { UsageRowDto } from './usage-statistics.dto';

type Cell = string | number | null;

/** Tells spreadsheets that the file is UTF-8. */
const BYTE_ORDER_MARK = '\ufeff';

/** What spreadsheets take for the beginning of a formula. */
const FORMULA_START = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;

const KEY_NAMES: Record<UsageGrouping, string> = { day: 'day', user: 'user_id', agent: 'agent_id', model: 'model' };

const SUM_NAMES = [
  'chats',
  'messages',
  'user_messages',
  'prompt_tokens',
  'completion_tokens',
  'tokens',
  'failed_replies',
] as const;

/** The rows as a file for spreadsheets (RFC 4180), a batch at a time. */
export async function* usageCsv(
  batches: AsyncIterable<UsageRowDto[]>,
  grouping: UsageGrouping,
): AsyncGenerator<string> {
  yield `${BYTE_ORDER_MARK}${csvLine([KEY_NAMES[grouping], 'name', ...SUM_NAMES])}`;
  for await (const rows of batches) {
    yield rows.map((row) => csvLine([row.key, row.name, ...SUM_NAMES.map((name) => row[name])])).join('');
  }
}

/**
 * One line. Every text is quoted, and one that a spreadsheet would run as a formula gets an apostrophe before it: names
 * of users and models are chosen by other people than those who open the file.
 */
export function csvLine(cells: Cell[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}

function csvCell(cell: Cell): string {
  if (typeof cell !== 'string') {
    return cell === null ? '' : String(cell);
  }
  const text = FORMULA_START.test(cell) ? `'${cell}` : cell;
  return `"${text.replaceAll('"', '""')}"`;
}
