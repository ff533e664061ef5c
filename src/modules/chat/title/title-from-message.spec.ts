import { titleFromMessage } from './title-from-message';

describe('titleFromMessage', () => {
  it('uses a short message unchanged, on one line', () => {
    expect(titleFromMessage('  What is\n\ta  monad? ')).toBe('What is a monad?');
  });

  it('uses the first words of a long message without cutting a word', () => {
    const title = titleFromMessage('Please write a poem about the sea, the wind and the long way home for sailors.');
    expect(title).toBe('Please write a poem about the sea, the wind and the long…');
  });

  it.each([
    [
      'Chinese',
      '请帮我写一篇关于春天的文章，要求语言优美，情感真挚，字数在八百字左右，并且适合中学生阅读和背诵，谢谢你的帮助和耐心的解答，我会认真学习的',
    ],
    [
      'Japanese',
      '東京から京都までの三泊四日の旅行計画を立ててください。予算は十万円で、歴史的な場所と美味しい食べ物を中心にしたいです。よろしくお願いします。',
    ],
    ['Thai', 'ช่วยเขียนบทความเกี่ยวกับการท่องเที่ยวในประเทศไทยโดยเน้นสถานที่ที่น่าสนใจและอาหารท้องถิ่นที่อร่อยมาก'],
  ])('cuts %s, which has no spaces, between words', (_language, message) => {
    const title = titleFromMessage(message) ?? '';
    const taken = title.slice(0, -1);
    expect([...title].length).toBeLessThanOrEqual(60);
    expect([...title].length).toBeGreaterThan(40);
    expect(message.startsWith(taken)).toBe(true);
    const ends = [...new Intl.Segmenter(undefined, { granularity: 'word' }).segment(message)].map(
      ({ index, segment }) => index + segment.length,
    );
    expect(ends).toContain(taken.length);
  });

  it('is at most 60 characters long for one very long word, with emoji kept whole', () => {
    expect([...(titleFromMessage('x'.repeat(500)) ?? '')]).toHaveLength(60);
    const family = '👨‍👩‍👧‍👦';
    const title = titleFromMessage(family.repeat(40)) ?? '';
    expect([...title].length).toBeLessThanOrEqual(60);
    expect(title.slice(0, -1)).toBe(family.repeat(title.length / family.length));
  });

  it.each(['"', '- ', '```\n', '¿', '👍 '])('contains a part of a long word after %j', (mark) => {
    expect(titleFromMessage(`${mark}${'9f86d081'.repeat(8)} is which hash?`)).toMatch(/9f86d081.*…$/);
  });

  it('omits invisible characters', () => {
    expect(titleFromMessage('Hi\u0007\u202e \u{e0001}there')).toBe('Hi there');
    expect(titleFromMessage('\u200b\u200d')).toBeNull();
  });

  it('does not split a surrogate pair at the end of the part that it reads', () => {
    expect(titleFromMessage(`${'a '.repeat(499)}b😀`)?.isWellFormed()).toBe(true);
  });

  it.each<[string, string]>([
    ['## What is a **monad**?', 'What is a monad?'],
    ['Why does `npm install` *fail*?', 'Why does npm install fail?'],
    ['> - 1. quoted', 'quoted'],
    ['- [x] done\n- [ ] open', 'done open'],
    ['```js\nconst a = 1;\n```\nWhat is this?', 'const a = 1; What is this?'],
    ['See [the docs](https://example.org/a "b") and ![a cat](c.png)', 'See the docs and a cat'],
    ['[A](https://example.org/A_(b)) and [B][1], a[0](1 2)[x]', 'A and B, a[0](1 2)[x]'],
    ['<https://example.org> ~~is~~ __very slow__ _now_', 'https://example.org is very slow now'],
    ['Heading ##\n===\n---\ntext', 'Heading ## text'],
    ['# Heading ##', 'Heading'],
    ['请解释**量子力学**的原理', '请解释量子力学的原理'],
    ['***Both*** and **a * b**', 'Both and **a * b**'],
    ['\\*plain\\*', '*plain*'],
    ['Is 2*3*4 = 24, and 2 * 3 * 4?', 'Is 2*3*4 = 24, and 2 * 3 * 4?'],
    [
      'What does __init__ do with *args and **kwargs in my_own_file?',
      'What does __init__ do with *args and **kwargs in…',
    ],
    ['C# or F#, a[i] > b, x_1', 'C# or F#, a[i] > b, x_1'],
    ['#hashtag', '#hashtag'],
    ['**', '**'],
    ['```', '```'],
    ['---', '---'],
    ['“Hello, world”', 'Hello, world'],
    ['"Yes" or "no"', '"Yes" or "no"'],
  ])('has no Markdown characters: %j', (message, title) => expect(titleFromMessage(message)).toBe(title));

  it.each(['\u3164', '\u115f \u2800', '\ufe0f'])('treats %j as empty', (message) =>
    expect(titleFromMessage(message)).toBeNull(),
  );
});
