import { type JsonLimits, JsonScan } from './json-scan';

const MOST_VALUES = 20_000;
const LONGEST = 1_000_000;

const members = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`m${index}`, 0]));
const tooMany = (field: string, maximum: number) => ({ field, reason: 'too_many_items', values: { maximum } });
const tooLong = (field: string) => ({ field, reason: 'too_long', values: { maximum: LONGEST } });
const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
const pngOf = (length: number) => `data:image/png;base64,${'A'.repeat(length)}`;

/** Scans a body in chunks of one size. Returns the bytes of its file contents and the parts that were cut out. */
function scan(body: unknown, { chunk = 65_536, ...limits }: Partial<JsonLimits> & { chunk?: number } = {}) {
  const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  const scanner = new JsonScan({ mostValues: MOST_VALUES, takesFiles: false, ...limits });
  let cut = '';
  for (let start = 0; start < bytes.length; start += chunk) {
    const part = bytes.subarray(start, start + chunk);
    const fault = scanner.scan(part);
    if (fault !== null) {
      return { fault, scanned: Math.min(start + chunk, bytes.length), files: 0, cut };
    }
    for (const { from, to, head, isFirst, isLast } of scanner.cuts) {
      cut += `${isFirst ? `<${head}` : ''}${part.toString('latin1', from, to)}${isLast ? '>' : ''}`;
    }
  }
  return { fault: null, scanned: bytes.length, files: scanner.fileBytes, cut };
}

const faultOf = (body: unknown, options?: Parameters<typeof scan>[1]) => scan(body, options).fault;

describe('a JSON body', () => {
  it.each([
    ['1,000 members', members(1_000)],
    ['1,000 members in each of several places', { a: members(1_000), b: [members(1_000), members(1_000)] }],
    ['20,000 values', { list: Array(19_999).fill(0) }],
    ['lists of objects', { list: Array(6_666).fill({ a: 1, b: 2 }) }],
    ['32 levels', nested(32)],
    ['32 levels one after another', `[${nested(31)},${nested(31)}]`],
    ['brackets and commas in texts', { '[[{{': `${'['.repeat(99)}"${','.repeat(40_000)}\\"${'{'.repeat(99)}\\` }],
    ['a text of a million characters', { a: 'x'.repeat(LONGEST) }],
    ['them in the longest form', `{"a":"${'\\u65e5'.repeat(LONGEST)}"}`],
    ['them with escapes', { a: '"\\\n'.repeat(LONGEST / 3) }],
    ['them in UTF-8', { a: '日'.repeat(LONGEST), b: '😀'.repeat(LONGEST) }],
    ['them in two escapes each', `{"a":"${String.raw`\ud83d\uDE00`.repeat(LONGEST)}"}`],
  ])('may have %s', (_name, body) => expect(faultOf(body)).toBeNull());

  it.each([
    ['1,001 members', members(1_001), tooMany('body', 1_000)],
    ['1,001 members within', { z: 1, a: [0, { y: 'a', b: members(1_001) }] }, tooMany('a.1.b', 1_000)],
    ['20,001 values', { list: Array(20_000).fill(0) }, tooMany('body', MOST_VALUES)],
    [
      '20,001 values in several places',
      { a: Array(10).fill(members(999)), b: Array(11).fill(members(999)) },
      tooMany('body', MOST_VALUES),
    ],
    ['33 levels', nested(33), { field: 'body', reason: 'nested_too_deeply' }],
    ['33 levels that never end', '{"a":['.repeat(17), { field: 'body', reason: 'nested_too_deeply' }],
    ['a longer text', { a: [1, { b: 'x'.repeat(LONGEST + 1) }] }, tooLong('a.1.b')],
    ['a longer text in the longest form', `{"a":"${'\\u65e5'.repeat(LONGEST + 1)}"}`, tooLong('a')],
    ['a longer text with escapes', { a: '"\\\n'.repeat(LONGEST / 3 + 1) }, tooLong('a')],
    ['a longer text in UTF-8', { a: '日'.repeat(LONGEST + 1) }, tooLong('a')],
    ['a longer text of emoji', { a: '😀'.repeat(LONGEST + 1) }, tooLong('a')],
    ['a longer text of halves', `{"a":"${'\\ude00'.repeat(LONGEST + 1)}"}`, tooLong('a')],
    ['a longer text of divided pairs', `{"a":"${String.raw`\ud83d\n\ude00`.repeat(LONGEST / 3)}aa"}`, tooLong('a')],
    ['a longer text of pairs', `{"a":"${String.raw`\ud83d\ude00`.repeat(LONGEST)}a"}`, tooLong('a')],
    ['a longer name', { a: { ['x'.repeat(LONGEST + 1)]: 1 } }, tooLong('a')],
    ['a file where none may come', { url: pngOf(LONGEST) }, tooLong('url')],
  ])('may not have %s', (_name, body, fault) => expect(faultOf(body)).toEqual(fault));

  it('may have more values on routes that accept whole conversations', () => {
    const body = { list: Array(49_000).fill(0) };
    expect(faultOf(body, { mostValues: 50_000 })).toBeNull();
    expect(faultOf(body)).toEqual(tooMany('body', MOST_VALUES));
  });

  it.each(['', '"', '"\\', '}}}]]],,,', '{"a', '[,,,', '\u{feff}{}'])('need not be valid JSON: %j', (text) => {
    expect(faultOf(text)).toBeNull();
  });

  it.each([
    ['of a letter', { a: 'x'.repeat(8 * LONGEST) }, LONGEST],
    ['of escapes', `{"a":"${'\\u65e5'.repeat(4 * LONGEST)}"}`, 6 * LONGEST],
    ['of numbers', { a: Array(500_000).fill(0) }, 2 * MOST_VALUES],
    ['of text parts', { a: Array(190_000).fill({ type: 'text', text: 'a' }) }, 28 * MOST_VALUES],
    ['of brackets', '['.repeat(8 * LONGEST), 32],
  ])('%s is refused before the rest is scanned', (_name, body, most) => {
    const { fault, scanned } = scan(body);
    expect(fault).not.toBeNull();
    expect(scanned).toBeLessThan(most + 2 * 65_536);
  });
});

describe('file contents', () => {
  const files = { takesFiles: true };
  const long = 200_000;

  it.each([
    ['a data URL', { image_url: { url: pngOf(2 * LONGEST) } }, 2 * LONGEST],
    ['a data URL that is the member itself', { image_url: pngOf(2 * LONGEST) }, 2 * LONGEST],
    ['bare base64', { file: { file_data: 'A'.repeat(2 * LONGEST) } }, 2 * LONGEST],
    ['a short one', { url: pngOf(20) }, 20],
    ['several', { a: [{ url: pngOf(long) }, { url: pngOf(long) }] }, 2 * long],
    ['lines', { url: `${pngOf(2 * LONGEST)}\r\n\t` }, 2 * LONGEST],
    ['escaped slashes', JSON.stringify({ url: `data:${'/'.repeat(LONGEST)}` }).replaceAll('/', '\\/'), 2 * LONGEST],
  ])('are distinguished from text: %s', (_name, body, least) => {
    const found = scan(body, files);
    expect(found.fault).toBeNull();
    expect(found.files).toBeGreaterThanOrEqual(least);
    expect(found.files).toBeLessThan(least + 100);
  });

  it.each([
    ['a text with this start', { content: pngOf(LONGEST) }, 'content'],
    ['another URL', { url: `http://${'A'.repeat(LONGEST)}` }, 'url'],
    ['what is no ASCII', { url: `${pngOf(LONGEST)}é` }, 'url'],
    ['what has other escapes', { file_data: `${'A'.repeat(LONGEST)}"` }, 'file_data'],
    ['an item of a list', { url: [pngOf(LONGEST)] }, 'url.0'],
    ['a name', { a: { [pngOf(LONGEST)]: 1 } }, 'a'],
  ])('are not %s', (_name, body, field) => expect(faultOf(body, files)).toEqual(tooLong(field)));

  it('are treated as text, including all earlier bytes, as soon as they cannot be base64', () => {
    const { files: bytes, fault } = scan({ url: `${pngOf(long)}é` }, files);
    expect([bytes, fault]).toEqual([0, null]);
  });

  it('are cut out when they span several chunks', () => {
    const body = { a: { url: 'data:AAA\\' }, b: [{ file_data: 'BBB' }, { url: pngOf(9) }] };
    expect(scan(body, files).cut).toBe('');
    const json = JSON.stringify(body);
    const { cut } = scan(json, { ...files, chunk: json.indexOf('BBB') + 1 });
    expect(cut).toBe('<BBB>');
  });
});

it('gives the same result however the body is split', () => {
  const parts = [' ', 'A\\/B\\r\\n', '\\"', '\\\\', 'é', '日', '😀', '\\u00e9', 'x', ',[{}]', ':', 'da'];
  const texts = Array.from({ length: 400 }, (_, index) =>
    Array.from({ length: index % 7 }, (_part, place) => parts[(index * 31 + place * 17) % parts.length]).join(''),
  );
  const names = ['url', 'file_data', 'other'];
  const heads = ['data:', '', 'data', 'd'];
  const body = `{${texts.map((text, index) => `"${names[index % 3]}":"${heads[index % 4]}${text}"`).join(',')}}`;
  const whole = scan(body, { takesFiles: true });
  expect(whole.files).toBeGreaterThan(0);
  const long = `{"a":[0,{"url":"data:${'A'.repeat(500)}é${'\\u65e5\\ud83d\\ude00😀'.repeat(400_000)}"}]}`;
  for (const chunk of [1, 2, 3, 5, 7, 64, 1_000]) {
    const divided = scan(body, { takesFiles: true, chunk });
    expect([chunk, divided.fault, divided.files]).toEqual([chunk, null, whole.files]);
    expect(faultOf(long, { takesFiles: true, chunk: chunk * 1_000 })).toEqual(tooLong('a.1.url'));
  }
});
