import type { ModelStep } from './model-server/model-server';

const WORDS = 'river stone market quiet window never travel between yellow morning paper simple engine harbour'.split(
  ' ',
);

/** Words from the dictionary above, always the same ones. */
function words(count: number, from: number): string {
  return Array.from({ length: count }, (_value, index) => WORDS[(from * 7 + index * index) % WORDS.length]).join(' ');
}

function section(number: number): string {
  const rows = Array.from({ length: 12 }, (_value, row) => `| ${row} | ${words(3, row)} | \`${words(1, row)}\` |`);
  const items = Array.from({ length: 10 }, (_value, item) => `${item + 1}. ${words(9, item)}\n   - ${words(5, item)}`);
  return [
    `## Section ${number}`,
    `${words(40, number)} **${words(3, number)}** and *${words(2, number)}*, [${words(2, number)}](https://example.com/${number}).`,
    `${words(60, number + 1)} \`${words(2, number)}\` ${words(30, number)}.`,
    items.join('\n'),
    ['| Number | Words | Code |', '| ---: | :--- | --- |', ...rows].join('\n'),
    `> ${words(30, number)}`,
    ['```ts', ...Array.from({ length: 20 }, (_value, line) => code(line)), '```'].join('\n'),
  ].join('\n\n');
}

function code(line: number): string {
  return `  const value${line} = compute(${line}, '${words(4, line)}'); // ${words(3, line)}`;
}

/** Markdown of 200 KB with everything that models write, some of it very long. It ends with "The very end." */
export function longReply(): string {
  const parts = [
    section(0),
    // Code, a paragraph, a list and a table, all of them very long.
    ['```ts', ...Array.from({ length: 700 }, (_value, line) => code(line)), '```'].join('\n'),
    words(4_000, 1),
    'x'.repeat(10_000),
    Array.from({ length: 300 }, (_value, item) => `- ${words(8, item)}`).join('\n'),
    [
      '| A | B |',
      '| --- | --- |',
      ...Array.from({ length: 300 }, (_value, row) => `| ${row} | ${words(4, row)} |`),
    ].join('\n'),
  ];
  const end = 'The very end.';
  let length = parts.join('\n\n').length;
  for (let number = 1; length < 200 * 1_024; number++) {
    parts.push(section(number));
    length += parts.at(-1)!.length + 2;
  }
  return [...parts, end].join('\n\n');
}

/** A text as a fast model sends it: tokens of a few characters, many in each millisecond. */
export function asTokens(text: string): ModelStep[] {
  const tokens = text.match(/[^]{1,8}/g) ?? [];
  return tokens.flatMap((token, index) => (index % 20 === 19 ? [{ text: token }, { delay: 1 }] : [{ text: token }]));
}
