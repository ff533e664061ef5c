import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { TokenCounter } from '../counting/token-counter';
import { DemoProvider } from './demo-provider';

const LOCALES = resolve(__dirname, '../../../../console/src/locales');

function readLocale(language: string, file: string): Record<string, string> {
  return JSON.parse(readFileSync(resolve(LOCALES, language, file), 'utf8')) as Record<string, string>;
}

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

  it.each(['en', 'zh', 'es', 'fr', 'de', 'ja'])('names the console page as in %s', async (language) => {
    const { text } = await reply('hello', language);
    const names = ['shell.json', 'admin.json'].map((file) => readLocale(language, file));
    expect(names.map((texts) => text.includes(texts.administration ?? texts.page_providers ?? '-'))).toEqual([
      true,
      true,
    ]);
    expect(text).not.toContain('LLM_');
  });

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
  ])("says in %s that it is a demo, and repeats the user's text", async (language, phrase) => {
    const { text } = await reply('my own words', language);
    expect(text).toContain(phrase);
    expect(text).toContain('my own words');
  });

  it('quotes a message unchanged, also one with replacement patterns', async () => {
    expect((await reply('$& $1 {message}')).text).toContain('$& $1 {message}');
  });

  it('quotes only the start of a long message, and never half a character', async () => {
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
      cache_write_tokens: 0,
      reasoning_tokens: 0,
    });
  });
});
