import { maskKeys } from './mask-keys';

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
});
