import { maskKeys } from './provider-answer';

describe('maskKeys', () => {
  it.each([
    ['the key that we sent', 'Bad key hunter2-hunter2.', 'Bad key [key].'],
    ['what looks like one', 'Incorrect API key provided: sk-proj-Ab12Cd34Ef56.', 'Incorrect API key provided: [key]'],
    ['one whose middle is hidden', 'Incorrect: sk-ab********wxyz and more', 'Incorrect: [key] and more'],
    ['a header', 'You sent Authorization: Bearer abc.def and X', 'You sent Authorization: Bearer [key] and X'],
    ['a header in JSON', '{"x-api-key":"abc def","a":1}', '{"x-api-key":"[key] def","a":1}'],
    ['another header', "api-key='abc'", "api-key='[key]'"],
    ['nothing else', 'The model `gpt-5` does not exist; ask risky task-force.', null],
  ])('masks %s', (_case, text, masked) => {
    expect(maskKeys(text, 'hunter2-hunter2')).toBe(masked ?? text);
  });

  const ODD_KEY = 'aB/c+d"e\\f';

  it.each([
    ['as it is', ODD_KEY],
    ['in JSON', JSON.stringify(ODD_KEY).slice(1, -1)],
    ['in JSON within JSON', JSON.stringify(JSON.stringify(ODD_KEY)).slice(3, -3)],
    ['with escaped slashes, as PHP has them', JSON.stringify(ODD_KEY).slice(1, -1).replaceAll('/', '\\/')],
    ['with escaped signs, as .NET has them', 'aB/c\\u002Bd\\u0022e\\\\f'],
    ['wholly escaped', [...ODD_KEY].map((c) => `\\u00${c.charCodeAt(0).toString(16)}`).join('')],
    ['in an address', encodeURIComponent(ODD_KEY)],
  ])('masks the key that we sent %s', (_case, written) => {
    expect(maskKeys(`Wrong: ${written}!`, ODD_KEY)).toBe('Wrong: [key]!');
  });

  it.each(['\\', '\\\\\\', '.*', '('])('recognises the key %s by its letters', (key) => {
    expect(maskKeys(`Wrong ${key} it is`, key)).toBe('Wrong [key] it is');
  });
});
