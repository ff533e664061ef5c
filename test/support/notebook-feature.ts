import { Body, Controller, Get, Header, HttpCode, Post } from '@nestjs/common';
import { Feature } from '../../src/common/features/feature.decorator';
import { AdminOnly, Authenticated, Public } from '../../src/common/security/access.decorator';
import { NoKeys } from '../../src/common/security/key-scope.decorator';
import { CurrentContext, RequestContext } from '../../src/common/security/request-context';

const PAGE = `<!doctype html>
<html lang="en">
  <head><title>Notebook</title><link rel="stylesheet" href="page/page.css"><script type="module" src="page/page.js"></script></head>
  <body>
    <h1>Notebook</h1>
    <form><label>Note <input name="text"></label> <button>Add</button></form>
    <ul></ul>
    <p role="status"></p>
  </body>
</html>`;

const SCRIPT = `
const api = new URL('/api/v1/', location.href);
const status = document.querySelector('[role=status]');
let told = {};
async function call(path, body) {
  const headers = { authorization: 'Bearer ' + told.token, 'content-type': 'application/json' };
  const answer = await fetch(new URL(path, api), { method: body ? 'POST' : 'GET', headers, body: body && JSON.stringify(body) });
  return { status: answer.status, body: await answer.json() };
}
async function show() {
  const { body } = await call('notebook/notes');
  document.querySelector('ul').replaceChildren(...body.map((text) => Object.assign(document.createElement('li'), { textContent: text })));
}
addEventListener('message', async ({ source, data }) => {
  if (source !== parent || data.type !== 'console') return;
  told = data;
  document.documentElement.dataset.theme = data.theme;
  document.documentElement.lang = data.language;
  await show();
  status.textContent = 'ready ' + (Number(status.dataset.count = Number(status.dataset.count ?? 0) + 1));
});
document.querySelector('form').addEventListener('submit', async (event) => {
  event.preventDefault();
  await call('notebook/notes', { text: new FormData(event.target).get('text') });
  await show();
});
Object.assign(window, { call, told: () => told });
parent.postMessage({ type: 'ready' }, '*');
`;

/** By user. */
const notes = new Map<number, string[]>();

@Public()
@Controller('notebook/page')
class NotebookPageController {
  @Get()
  @Header('content-type', 'text/html; charset=utf-8')
  page(): string {
    return PAGE;
  }

  @Get('page.js')
  @Header('content-type', 'text/javascript; charset=utf-8')
  script(): string {
    return SCRIPT;
  }

  @Get('page.css')
  @Header('content-type', 'text/css; charset=utf-8')
  style(): string {
    return 'h1 { color: rgb(1, 2, 3); }';
  }
}

@Authenticated()
@NoKeys()
@Controller('notebook/notes')
class NotebookController {
  @Get()
  list(@CurrentContext() { principal }: RequestContext): string[] {
    return notes.get(principal.userId) ?? [];
  }

  @Post()
  @HttpCode(200)
  add(@CurrentContext() { principal }: RequestContext, @Body() { text }: { text: string }): string[] {
    notes.set(principal.userId, [...(notes.get(principal.userId) ?? []), text]);
    return notes.get(principal.userId) ?? [];
  }

  @AdminOnly()
  @Get('all')
  all(): string[] {
    return [...notes.values()].flat();
  }
}

/** A feature with a page in the console. */
@Feature({
  page: { title: 'Notebook', path: 'notebook/page', icon: 'tag' },
  controllers: [NotebookPageController, NotebookController],
})
export class NotebookModule {}

/** It has the same page, by mistake. */
@Feature({ page: { title: 'Notebook', path: 'notebook/page', icon: 'tag' } })
export class CopiedNotebookModule {}

@Authenticated()
@NoKeys()
@Controller('shelf')
class ShelfController {
  @Get()
  list(): string[] {
    return ['a book'];
  }

  @Public()
  @Get('page')
  @Header('content-type', 'text/html; charset=utf-8')
  page(): string {
    return '<!doctype html><html lang="en"><title>Shelf</title></html>';
  }

  @Public()
  @Get('open')
  open(@CurrentContext() { principal }: RequestContext): { user: number | null } {
    return { user: (principal as RequestContext['principal'] | null)?.userId ?? null };
  }
}

/** Another feature with a page. */
@Feature({ page: { title: 'Shelf', path: 'shelf/page', icon: 'nonsense' }, controllers: [ShelfController] })
export class ShelfModule {}
