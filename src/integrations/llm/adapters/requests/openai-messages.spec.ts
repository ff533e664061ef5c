import type { ModelMessage } from '../../port/language-model-provider';
import { toOpenAiMessages } from './openai-messages';

describe('messages of /chat/completions', () => {
  const text = (role: ModelMessage['role'], content: string): ModelMessage => ({ role, content });

  it('alternate, also if a system message was between two turns of one role', () => {
    const messages = [text('user', 'One'), text('system', 'Be kind.'), text('user', 'Two'), text('assistant', 'Three')];
    expect(toOpenAiMessages(messages)).toEqual([
      { role: 'system', content: 'Be kind.' },
      { role: 'user', content: 'One\n\nTwo' },
      { role: 'assistant', content: 'Three' },
    ]);
  });

  it('keep the parts of such turns', () => {
    const image = { type: 'image', media_type: 'image/png', name: null, data: Buffer.from('x'), detail: null } as const;
    const messages = [{ ...text('user', ''), parts: [image] }, text('system', 'Be kind.'), text('user', 'What is it?')];
    expect(toOpenAiMessages(messages)).toEqual([
      { role: 'system', content: 'Be kind.' },
      {
        role: 'user',
        content: [
          { type: 'image_url', image_url: { url: 'data:image/png;base64,eA==' } },
          { type: 'text', text: 'What is it?' },
        ],
      },
    ]);
  });
});
