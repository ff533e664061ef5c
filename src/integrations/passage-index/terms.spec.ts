import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { queryTerms, readTerms } from './terms';

/** The terms of a text; those that only repeat others have a `*`. */
function termsOf(text: string): string[] {
  const terms: string[] = [];
  readTerms(text, (term, counts) => terms.push(counts === 1 ? term : `${term}*`));
  return terms;
}

describe('the terms of a text', () => {
  it.each([
    ['Crème BRÛLÉE, ＦＵＬＬ', ['creme', 'brule', 'full']],
    ['The user’s requests needed running', ['the', 'user', 'request', 'need', 'run']],
    ['ERR_4711 x.y.z', ['err_4711*', 'err', '4711', 'x.y.z*', 'x', 'y', 'z']],
    ['C++ and C#.', ['c++*', 'c', 'and', 'c#*', 'c']],
    ['one -- two...', ['one', 'two']],
    ['緑茶', ['緑*', '茶*', '緑茶']],
    ['ใช่', ['ใ*', 'ช*', 'ใช', 'ช่']],
    ['iPhone手机', ['iphon', '手*', '机*', '手机']],
    ['مُحَمَّد שָׁלוֹם', ['محمد', 'שלום']],
    ['🎉 👍🏽 🇩🇪', ['🎉', '👍', '🇩🇪']],
    ['… — ()', []],
  ])('%j has %j', (text, terms) => {
    expect(termsOf(text)).toEqual(terms);
  });

  it('are found by a query with the same words in another form', () => {
    expect(queryTerms('Needs\u00ad requesting')).toEqual(['need', 'request']);
    expect(queryTerms('need need NEED')).toEqual(['need']);
  });

  it('of a question are those of its subject, unless it has none', () => {
    expect(queryTerms('How do I change our passwords?')).toEqual(['chang', 'password']);
    expect(queryTerms('Who am I?')).toEqual(['who', 'am', 'i']);
  });

  it('of a query in a script without spaces are pairs, or the single character', () => {
    expect(queryTerms('緑茶を')).toEqual(['緑茶', '茶を']);
    expect(queryTerms('茶')).toEqual(['茶']);
  });

  it('are read in linear time', () => {
    const began = process.cpuUsage();
    for (const text of ['a'.repeat(1e6), 'a.'.repeat(5e5), '茶'.repeat(5e5), 'e\u0301'.repeat(3e5), "'s".repeat(3e5)]) {
      termsOf(text);
    }
    const { user } = process.cpuUsage(began);
    expect(user).toBeLessThan(5e6);
  });

  it('are remembered without the texts in which they were', () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const heap = (): number => {
      collect();
      return process.memoryUsage().heapUsed / 2 ** 20;
    };
    const before = heap();
    for (let text = 0; text < 400; text++) {
      const letters = [...String(text).padStart(3, '0')].map((digit) => 'abcdefghij'[Number(digit)]).join('');
      readTerms(`${'. '.repeat(50_000)}unforgettable${letters}`, () => undefined);
    }
    // The texts take 40 MiB.
    expect(heap() - before).toBeLessThan(8);
  });
});
