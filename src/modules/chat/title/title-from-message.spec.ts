import { titleFromMessage } from './title-from-message';

describe('titleFromMessage', () => {
  it('takes a short message as it is, on one line', () => {
    expect(titleFromMessage('  What is\n\ta  monad? ')).toBe('What is a monad?');
  });

  it('takes the first words of a long one, and cuts none', () => {
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

  it('is at most 60 characters long for one endless word, with emoji kept whole', () => {
    expect([...(titleFromMessage('x'.repeat(500)) ?? '')]).toHaveLength(60);
    const family = '👨‍👩‍👧‍👦';
    const title = titleFromMessage(family.repeat(40)) ?? '';
    expect([...title].length).toBeLessThanOrEqual(60);
    expect(title.slice(0, -1)).toBe(family.repeat(title.length / family.length));
  });

  it.each(['"', '- ', '```\n', '¿', '👍 '])('has some of a long word behind %j', (mark) => {
    expect(titleFromMessage(`${mark}${'9f86d081'.repeat(8)} is which hash?`)).toMatch(/9f86d081.*…$/);
  });

  it('leaves out what cannot be seen', () => {
    expect(titleFromMessage('Hi\u0007\u202e \u{e0001}there')).toBe('Hi there');
    expect(titleFromMessage('\u200b\u200d')).toBeNull();
  });

  it('does not split a surrogate pair where it stops looking', () => {
    expect(titleFromMessage(`${'a '.repeat(499)}b😀`)?.isWellFormed()).toBe(true);
  });
});
