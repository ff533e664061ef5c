import { Controller, Get, Module, type Type } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { Test } from '@nestjs/testing';
import { Public } from '../security/access.decorator';
import { KeyScope } from '../security/key-scope.decorator';
import { checkRoutes } from './check-routes';
import { Feature } from './feature.decorator';

@Controller('chat')
class ChatController {
  @Get(':chat_id')
  read(): void {}

  @Get('agents/active')
  agents(): void {}
}

@Module({ controllers: [ChatController] })
class OwnModule {}

/** The error message for an external module with one route. */
async function saidOf(controller: string, path: string, scope = 'chat:read'): Promise<string | undefined> {
  @KeyScope(scope)
  @Controller(controller)
  class AddedController {
    @Get(path)
    read(): void {}
  }
  @Module({ controllers: [AddedController] })
  class AddedModule {}
  return saidOfModule(AddedModule);
}

async function saidOfModule(added: Type<unknown>): Promise<string | undefined> {
  const app = await Test.createTestingModule({ imports: [added, OwnModule] }).compile();
  try {
    checkRoutes(app.get(ModulesContainer), ['chat:read'], new Set([OwnModule]));
    return undefined;
  } catch (error) {
    return (error as Error).message;
  } finally {
    await app.close();
  }
}

describe('the routes of an external module', () => {
  it.each([
    ['bookmarks', ':id'],
    ['chat', ':chat_id/bookmarks'],
    ['chat/agents', 'passive'],
  ])('may be /%s/%s, which no other route matches', async (controller, path) => {
    expect(await saidOf(controller, path)).toBeUndefined();
  });

  it.each([
    ['chat', ':id', 'chat/:id'],
    ['chat', 'mine', 'chat/mine'],
    ['Chat/', 'Agents/active/', 'Chat/Agents/active'],
    [':area', 'agents/active', ':area/agents/active'],
  ])('may not be /%s/%s: the error says what to do', async (controller, path, shown) => {
    expect(await saidOf(controller, path)).toBe(
      `AddedController has the route GET /${shown}, which ChatController answers already. Give it another path.`,
    );
  });

  it('may not need a scope that no module declares', async () => {
    expect(await saidOf('bookmarks', '', 'bookmark')).toBe(
      'AddedController needs the scope bookmark, which no module declares. Name it in the scopes of its @Feature.',
    );
  });
});

describe('the page of a module', () => {
  @Controller('bookmarks')
  class BookmarkController {
    @Public()
    @Get('page')
    page(): void {}

    @Get('list')
    list(): void {}
  }

  const saidOfPage = async (path: string): Promise<string | undefined> => {
    @Feature({ page: { title: 'Bookmarks', path, icon: 'tag' }, controllers: [BookmarkController] })
    class BookmarkModule {}
    return saidOfModule(BookmarkModule);
  };

  it('is one of its public routes', async () => {
    expect(await saidOfPage('bookmarks/page')).toBeUndefined();
  });

  it.each([
    ['bookmark/page', 'it has no route GET /bookmark/page. Add the route, or correct the path.'],
    ['bookmarks/list', 'this route is not public. Add @Public() to it in BookmarkController.'],
  ])('may not be %s: the error says what to do', async (path, advice) => {
    expect(await saidOfPage(path)).toBe(`BookmarkModule names the page ${path}, but ${advice}`);
  });
});
