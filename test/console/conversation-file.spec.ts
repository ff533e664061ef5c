import { type Conversation, fileName, toJson, toMarkdown } from '../../console/src/pages/chat/export/conversation-file';

const WORDS = {
  user: 'You',
  assistant: 'Assistant',
  system: 'Instructions',
  partial: 'Earlier messages are not included.',
};

const conversation: Conversation = {
  title: 'A bridge\nin *Porto*',
  agent: 'Guide',
  created_at: '2026-01-01T00:00:00.000Z',
  messages: [
    {
      role: 'user',
      content: 'Which one?',
      created_at: '2026-01-01T00:00:01.000Z',
      parts: [{ type: 'text' }, { type: 'image', hash: 'a1', name: 'bridge.png', media_type: 'image/png', bytes: 12 }],
    },
    { role: 'assistant', content: '**Dom Luís**\n', created_at: '2026-01-01T00:00:02.000Z', model: 'm', parts: null },
  ],
  isPartial: false,
};

describe('a conversation export', () => {
  it('is Markdown with the messages', () => {
    expect(toMarkdown(conversation, WORDS)).toBe(
      '# A bridge in *Porto*\n\n## You\n\nWhich one?\n\n- bridge.png\n\n## Guide\n\n**Dom Luís**\n',
    );
    const partial = { ...conversation, agent: null, isPartial: true };
    expect(toMarkdown(partial, WORDS)).toContain('_Earlier messages are not included._\n\n## You');
    expect(toMarkdown(partial, WORDS)).toContain('## Assistant');
  });

  it('is JSON without internal fields of the service', () => {
    const { messages, ...rest } = JSON.parse(toJson(conversation)) as { messages: object[] };
    expect(rest).toEqual({
      title: 'A bridge\nin *Porto*',
      agent: 'Guide',
      created_at: conversation.created_at,
      is_partial: false,
    });
    expect(messages).toEqual([
      {
        role: 'user',
        content: 'Which one?',
        created_at: '2026-01-01T00:00:01.000Z',
        files: [{ name: 'bridge.png', media_type: 'image/png', bytes: 12 }],
      },
      { role: 'assistant', content: '**Dom Luís**\n', created_at: '2026-01-01T00:00:02.000Z', model: 'm', files: [] },
    ]);
  });

  it.each([
    ['Porto', 'Porto.md'],
    ['a/b\\c:d*e?f"g<h>i|j', 'a b c d e f g h i j.md'],
    ['../../etc/passwd', 'etc passwd.md'],
    ['\u202egpj.exe', 'gpj.exe.md'],
    [' . ', 'conversation.md'],
    ['😀'.repeat(100), `${'😀'.repeat(80)}.md`],
  ])('has a name that every system accepts: %j', (title, expected) => {
    expect(fileName(title, 'md')).toBe(expected);
  });
});
