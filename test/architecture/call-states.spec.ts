import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { TOOL_CALL_STATES } from '../../src/integrations/llm/port/message-parts';
import { CALL_STATES, type CallTransition } from '../../src/modules/generation/acting/call-states';
import { SOURCE, sourceFiles } from '../support/project-files';

const transitions: CallTransition[] = Object.values(CALL_STATES);
const DOCUMENT = readFileSync(join(SOURCE, '../docs/tool-call-states.md'), 'utf8');

describe('the states of a tool call', () => {
  it('are shown by the table in docs/tool-call-states.md', () => {
    const shown = [...DOCUMENT.matchAll(/^\|(.*)\|$/gm)].map(([, row = '']) =>
      row.split('|').map((cell) => cell.trim()),
    );
    const rows = transitions.map(({ from, event, to, writes }) => [
      from.length === 0 ? 'new' : from.map((state) => `\`${state}\``).join(', '),
      event,
      `\`${to}\``,
      writes,
    ]);
    // After the head of the table and the line below it.
    expect(shown.slice(2)).toEqual(rows);
  });

  it('are connected in its diagram as in the table', () => {
    const shown = [...DOCUMENT.matchAll(/^ +(\S+) --> (\w+): /gm)].map(([, from, to]) => `${from} to ${to}`);
    const connected = transitions.flatMap(({ from, to }) =>
      (from.length === 0 ? ['[*]'] : from).map((state) => `${state} to ${to}`),
    );
    expect(shown.sort()).toEqual([...new Set(connected)].sort());
  });

  it('are all reached, except that of a call without a row', () => {
    const reached = new Set(transitions.map(({ to }) => to));
    expect(TOOL_CALL_STATES.filter((state) => !reached.has(state))).toEqual(['proposed']);
  });

  it('change only by events that the code names', () => {
    const folder = 'modules/generation/acting/';
    const code = sourceFiles('.ts')
      .filter((file) => file.startsWith(folder) && file !== `${folder}call-states.ts`)
      .map((file) => readFileSync(join(SOURCE, file), 'utf8'))
      .join('\n');
    expect(Object.keys(CALL_STATES).filter((event) => !code.includes(`'${event}'`))).toEqual([]);
  });
});
