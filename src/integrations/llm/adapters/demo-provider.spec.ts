import { TokenCounter } from '../token-counter';
import { DemoProvider } from './demo-provider';

describe('DemoProvider', () => {
  const counter = new TokenCounter();
  const provider = new DemoProvider(counter);

  afterAll(() => counter.onApplicationShutdown());

  async function reply(content: string, language?: string) {
    const texts: string[] = [];
    const request = { model: null, messages: [{ role: 'user' as const, content }], parameters: {}, language };
    const signal = new AbortController().signal;
    const result = await provider.complete(request, { onText: (text) => texts.push(text) }, signal);
    return { text: texts.join(''), result };
  }

  it.each([
    ['en', 'demo reply'],
    ['zh', '演示回复'],
    ['es', 'respuesta de demostración'],
    ['fr', 'réponse de démonstration'],
    ['de', 'Demo-Antwort'],
    ['ja', 'デモの返信'],
    ['de-AT', 'Demo-Antwort'],
    ['pt', 'demo reply'],
    [undefined, 'demo reply'],
  ])('says in %s that it is a demo, how to configure a model, and what the user wrote', async (language, phrase) => {
    const { text } = await reply('my own words', language);
    expect(text).toContain(phrase);
    expect(text).toContain('LLM_BASE_URL');
    expect(text).toContain('my own words');
  });

  it('quotes a message as it is, whatever a replacement pattern would mean', async () => {
    expect((await reply('$& $1 {message}')).text).toContain('$& $1 {message}');
  });

  it('quotes only the beginning of a long message, and no half characters', async () => {
    const { text } = await reply('😀'.repeat(5_000));
    expect(text).toContain(`${'😀'.repeat(200)}…`);
    expect(text.length).toBeLessThan(800);
  });

  it('counts the tokens of prompt and reply', async () => {
    const { text, result } = await reply('hello');
    expect(result.usage).toEqual({
      prompt_tokens: await counter.countConversation([{ role: 'user', content: 'hello' }]),
      completion_tokens: await counter.count(text),
      cached_tokens: 0,
      reasoning_tokens: 0,
    });
  });
});
