import { createUser } from '../support/accounts';
import { uniqueContent } from '../support/chat-client';
import { useConsoleApp } from '../support/console-app';
import { ConsoleChat } from '../support/console-chat';
import { ConsoleLooks } from '../support/console-looks';
import { tidyWindow } from '../support/console-window';

const FORMULAS = [
  'The roots of $x^2 - 1$ are \\(1\\) and \\(-1\\); it costs $5 and $10.',
  '\\[\n\\sum_{i=1}^n i\n= \\frac{n(n+1)}{2}\n\\]',
  '$$\\begin{pmatrix} a & b \\\\ c & d \\end{pmatrix}$$',
].join('\n\n');

const HOSTILE = [
  '\\(\\href{javascript:window.hacked=1}{click}\\)',
  '$$\\def\\a{\\a\\a}\\a$$',
  '\\(\\text{<img src=x onerror=window.hacked=1>}\\)',
  '```html\n<script>window.hacked=1</script><img src=x onerror=window.hacked=1>\n```',
  '```mermaid\ngraph TD\n  A["<img src=x onerror=parent.hacked=1><script>parent.hacked=1</script>"] --> B[Kept]\n' +
    '  click A "javascript:parent.hacked=1"\n  click B call alert()\n```',
].join('\n\n');

const DIAGRAM = '```mermaid\ngraph TD\n  A[Question] --> B{Known?}\n  B -->|yes| C[Answer]\n  B -->|no| D[Ask]\n```';

const CODE = '```ts\n// A note\nconst answer: number = 42;\nreturn `${answer} "words"`;\n```';

describe('replies with formulas, code and diagrams', () => {
  const app = useConsoleApp();
  let chat: ConsoleChat;

  beforeAll(async () => (chat = await ConsoleChat.visit(app)));

  afterEach(() => tidyWindow(chat.page));

  const replyWith = async (text: string): Promise<void> => {
    const content = uniqueContent();
    await app.model.script({ key: content, steps: [{ text }] });
    await chat.openNew();
    await chat.send(content);
    await chat.waitForEnd();
  };

  it('renders formulas as MathML, and does not change money amounts', async () => {
    await replyWith(FORMULAS);
    await chat.page.locator('math').nth(4).waitFor();
    expect(await chat.page.locator('math').count()).toBe(5);
    expect(await chat.page.locator('math[display=block]').count()).toBe(2);
    await chat.page.locator('.markdown', { hasText: 'it costs $5 and $10.' }).waitFor();
    expect(await new ConsoleLooks(chat.page).faults('formulas')).toEqual([]);
  });

  it('links a footnote reference to its footnote, and shows one without a footnote as text', async () => {
    const notes = '[^1]: word\n[^source]: https://a.test/penguins';
    await replyWith(`Penguins swim[^1] fast[^source], [^a-z] is a class.\n\n${notes}`);
    const reply = chat.page.locator('.markdown').last();
    await reply.locator('p', { hasText: 'Penguins swim[1] fast[source], [^a-z] is a class.' }).waitFor();
    await reply.getByText('[source]').first().click();
    expect(await chat.page.evaluate('document.activeElement.textContent')).toBe('[source]https://a.test/penguins');
    expect(await new ConsoleLooks(chat.page).faults('footnotes')).toEqual([]);
  });

  it('shows an incomplete formula as text and a complete one as MathML, without rendering finished blocks again', async () => {
    const content = uniqueContent();
    const steps = [{ text: 'Here $a_1$:\n\n\\[\na\n- b' }, { hold: content }, { text: '\n\\]\n\nEnd' }];
    await app.model.script({ key: content, steps });
    await chat.openNew();
    await chat.send(content);
    await chat.page.locator('math').waitFor();
    await chat.page.evaluate("document.querySelector('math').dataset.kept = 'yes'");
    expect(await chat.page.locator('.formula-source').textContent()).toContain('- b');
    expect(await chat.page.locator('.markdown li').count()).toBe(0);
    await app.model.release(content);
    await chat.waitForEnd();
    await chat.page.locator('math[display=block]').waitFor();
    expect(await chat.page.locator('math[data-kept]').count()).toBe(1);
    expect(await chat.page.locator('.formula-source').count()).toBe(0);
  });

  it('highlights code in known languages, and copies it unchanged', async () => {
    await replyWith(
      `${CODE}\n\n\`\`\`no-such-language\nconst a\n\`\`\`\n\n${'```python\ndef f(x):\n    return None  # why\n```'}`,
    );
    await chat.page.locator('.hljs-keyword', { hasText: 'const' }).waitFor();
    await chat.page.locator('.hljs-comment', { hasText: '# why' }).waitFor();
    expect(await chat.page.locator('pre').first().textContent()).toBe(CODE.split('\n').slice(1, -1).join('\n'));
    expect(await chat.page.locator('pre').nth(1).locator('span[class]').count()).toBe(0);
    expect(await new ConsoleLooks(chat.page).faults('coloured code')).toEqual([]);
  });

  it('renders a diagram on request, by keyboard, and shows the source again', async () => {
    await replyWith(DIAGRAM);
    expect(await chat.page.locator('iframe').count()).toBe(0);
    await chat.button('Show diagram').focus();
    await chat.page.keyboard.press('Enter');
    const picture = chat.page.getByRole('img', { name: 'Diagram' });
    await picture.waitFor();
    expect((await picture.boundingBox())?.width).toBeGreaterThan(50);
    expect(await chat.page.locator('iframe').count()).toBe(0);
    expect(await new ConsoleLooks(chat.page).faults('diagram')).toEqual([]);
    await chat.button('Show source').click();
    await chat.page.locator('pre', { hasText: 'A[Question]' }).waitFor();
  });

  it('shows that there is no valid diagram', async () => {
    await replyWith('```mermaid\nno diagram at all\n```');
    await chat.button('Show diagram').click();
    await chat.page.getByText('This diagram cannot be drawn').waitFor();
    expect(await new ConsoleLooks(chat.page).faults('no diagram')).toEqual([]);
  });

  it('executes no instruction in a reply', async () => {
    const asked: string[] = [];
    chat.page.on('request', (request) => asked.push(request.url()));
    await replyWith(HOSTILE);
    await chat.button('Show diagram').click();
    await chat.page.getByRole('img', { name: 'Diagram' }).waitFor();
    expect(await chat.page.evaluate('window.hacked')).toBeUndefined();
    expect(await chat.page.locator('.markdown a, .markdown script, .markdown img:not([src^="blob:"])').count()).toBe(0);
    const strangers = asked.filter((url) => !url.startsWith(app.origin) && !/^(blob|data):/.test(url));
    expect(strangers).toEqual([]);
    expect(asked.filter((url) => url.endsWith('/x'))).toEqual([]);
  });

  it('gives the diagram frame no origin, no network access and no navigation', async () => {
    const answer = await fetch(`${app.origin}/console/diagram.html`);
    const policy = answer.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain('sandbox allow-scripts');
    expect(policy).not.toMatch(/unsafe-eval|connect-src|allow-same-origin/);
    const page = await fetch(`${app.origin}/console/chat`);
    expect(page.headers.get('content-security-policy')).not.toMatch(/unsafe/);
  });

  it('renders them in shared conversations too', async () => {
    await replyWith(FORMULAS);
    const id = Number(/\/chat\/(\d+)$/.exec(chat.page.url())?.[1]);
    const share = await chat.client.request<{ url: string }>(`/chat/${id}/shares`, { body: {} });
    const page = await app.visit(await createUser(app));
    await page.goto(new URL(share.body.url).pathname);
    await page.locator('math[display=block]').first().waitFor();
    await app.leave(page);
  });
});
