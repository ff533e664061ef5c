import type { JSX } from 'preact';
import { Link } from 'wouter-preact';
import { formatNumber } from '../app/i18n/formats';
import { Badge } from '../components/badge';
import { Button } from '../components/button';
import { Facts } from '../components/facts';
import { Figures } from '../components/figures';
import { Plot } from '../components/plot/plot';
import { Empty, Failed, Loading } from '../components/states';
import { TableRows } from '../components/table/table-rows';
import { Part } from './basics';

const ROWS = [
  { name: 'ada', plan: 'Yearly', messages: 1_204 },
  { name: 'grace.hopper', plan: 'Free', messages: 17 },
];

const NUMBERS = [4, 9, 12, 8, 3, 1, 14, 18, 11, 9, 12, 4, 2, 16];

export function Lists(): JSX.Element {
  return (
    <>
      <Part title="Figures, facts and tabs">
        <Figures
          figures={[
            ['Cost', '$316.14', '+12% on the previous 30 days'],
            ['Replies', '4,103', '−3%'],
            ['Failures', '12'],
          ]}
        />
        <nav class="tabs" aria-label="Tabs">
          {['Usage and cost', 'Limits', 'Keys'].map((name, index) => (
            <Link key={name} href="/design" aria-current={index === 0 ? 'page' : undefined}>
              {name}
            </Link>
          ))}
        </nav>
        <Facts
          facts={[
            ['Email', 'ada@example.com'],
            ['Created', 'Jul 31, 2026'],
          ]}
        />
        <div class="card">A card groups what belongs together and is one of several.</div>
      </Part>
      <Part title="Table">
        <TableRows
          label="Users"
          rows={ROWS}
          rowKey={({ name }) => name}
          sorting={{ sort: '-messages', onSort: () => undefined }}
          columns={[
            { name: 'name', label: 'Name', isSortable: true, cell: ({ name }) => <Link href="/design">{name}</Link> },
            { name: 'plan', label: 'Plan', cell: ({ plan }) => <Badge>{plan}</Badge> },
            {
              name: 'messages',
              label: 'Messages',
              isSortable: true,
              isNumber: true,
              cell: ({ messages }) => formatNumber(messages),
            },
          ]}
        />
      </Part>
      <Part title="Chart">
        <Plot
          title="Messages"
          kind="days"
          keys={NUMBERS.map((_number, day) => `2026-07-${day + 10}`)}
          series={[
            { label: 'This period', values: NUMBERS },
            { label: 'Previous period', values: NUMBERS.toReversed() },
          ]}
        />
      </Part>
    </>
  );
}

export function States(): JSX.Element {
  return (
    <Part title="States of a page">
      <Loading />
      <Empty>
        <p>No providers yet.</p>
        <Button icon="plus">Add provider</Button>
      </Empty>
      <Failed error={new Error('A failure')} retry={() => undefined} />
    </Part>
  );
}
