import { titleFromAnswer } from './reply-titler';

describe('titleFromAnswer', () => {
  it.each([
    'My Title',
    '{"title": "My Title"}',
    '```json\n{"title": "My Title"}\n```',
    '```\nMy Title\n```',
    'Here you are: {"title": "My Title"}',
    '{"title": "My Title", "language": "en"}',
    '{"language": "en", "title": "My Title"}',
    '{"result": {"title": "My Title"}}',
    '["My Title"]',
    '"My Title"',
    '{"title": "My Title',
    "{'title': 'My Title'}",
    '**My Title**',
    '**My Title',
    '# My Title',
    '## **My Title** ##',
    '- My Title',
    '`My Title`',
    'Title: My Title',
    '**Title:** My Title',
    'title：“My Title”',
    'Chat title: "My Title".',
    'Titre : « My Title »',
    '标题：《My Title》',
    '"Title: My Title"',
    '“My Title”',
    '„My Title“',
    '»My Title«',
    "'My Title'",
    '「My Title」',
    '<title>My Title</title>',
    'Here is a title for the conversation:\n\n**My Title**',
    'My Title\n\nIt says what the conversation is about.',
    '\n\n  My\tTitle \n',
  ])('is on one line without formatting: %j', (answer) => expect(titleFromAnswer(answer)).toBe('My Title'));

  it.each([
    ['The "best" bread', 'The "best" bread'],
    ['"The "best" bread"', 'The "best" bread'],
    ['"Yes" and "no"', '"Yes" and "no"'],
    ['“Yes” and “no”', '“Yes” and “no”'],
    ["'Don't panic'", "Don't panic"],
    ["Rock 'n' roll", "Rock 'n' roll"],
    ['The man they call «Che»', 'The man they call «Che»'],
    ['{"title": "The \\"best\\" bread"}', 'The "best" bread'],
    ['What is {"a": 1}?', 'What is {"a": 1}?'],
    ['Subtitles: how to read them', 'Subtitles: how to read them'],
    ['Part one:', 'Part one:'],
    ['"', '"'],
  ])('keeps inner characters: %j', (answer, title) => expect(titleFromAnswer(answer)).toBe(title));

  it.each(['', ' \n ', '""', '\u200b', '\u3164', '{"title": "\u2800"}', '"\u200b"'])('is null for %j', (answer) =>
    expect(titleFromAnswer(answer)).toBeNull(),
  );

  it.each(['"'.repeat(50_000), '{"title": "' + '\\'.repeat(50_000), '**a '.repeat(20_000), '['.repeat(50_000)])(
    'cuts a long answer',
    (answer) => expect([...(titleFromAnswer(answer) ?? '')].length).toBeLessThanOrEqual(60),
  );
});
