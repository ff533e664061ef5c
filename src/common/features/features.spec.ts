import { Controller, forwardRef, Get, Module } from '@nestjs/common';
import { MODULE_METADATA } from '@nestjs/common/constants';
import { factsOf, Feature } from './feature.decorator';
import { Features } from './features';

class BookmarkService {}

@Feature({ exposes: ['X-Folder'], groups: { Folders: 'Of bookmarks.' } })
class FolderModule {}

@Module({ imports: [FolderModule] })
class PlainModule {}

@Feature({
  folder: '/bookmarks',
  groups: { Bookmarks: 'Marked.', Marks: 'What marks them.' },
  exposes: ['X-Bookmark', 'X-Folder'],
  scopes: ['bookmarks'],
  mails: [{ kind: 'many', template: 'many.hbs', example: {} }],
  imports: [PlainModule],
  providers: [BookmarkService],
})
class BookmarkModule {}

@Feature({ administrativeScopes: ['bookmarks:all'], groups: { Users: 'People.' }, exposes: ['X-User'] })
class UserModule {}

describe('Feature', () => {
  it('turns the class into a Nest module, with its facts next to the Nest metadata', () => {
    const keys = [MODULE_METADATA.IMPORTS, MODULE_METADATA.PROVIDERS, MODULE_METADATA.CONTROLLERS];
    const [imports, providers, controllers] = keys.map((key) => Reflect.getMetadata(key, BookmarkModule) as unknown);
    expect([imports, providers, controllers]).toEqual([[PlainModule], [BookmarkService], undefined]);
    expect(Reflect.getMetadataKeys(BookmarkModule)).not.toContain('folder');
    expect(factsOf(BookmarkModule)).toMatchObject({ folder: '/bookmarks', scopes: ['bookmarks'] });
    expect(factsOf(PlainModule)).toBeUndefined();
  });
});

describe('Features', () => {
  it('are read in the order of the list, followed by their imports, each module once', () => {
    const dynamic = { module: UserModule, imports: [forwardRef(() => FolderModule)] };
    const features = Features.of([BookmarkModule, dynamic, BookmarkModule]);
    expect(features.groups().map(({ name }) => name)).toEqual(['Bookmarks', 'Marks', 'Users', 'Folders']);
    expect(features.exposedHeaders()).toEqual(['X-Bookmark', 'X-Folder', 'X-User']);
    expect(features.folders()).toEqual([{ module: 'BookmarkModule', fact: '/bookmarks' }]);
    expect(features.scopes()).toEqual([
      { name: 'bookmarks', isAdministrative: false },
      { name: 'bookmarks:all', isAdministrative: true },
    ]);
    expect(features.classes.has(PlainModule)).toBe(true);
  });

  it('keep their released order, and new ones come after these', () => {
    const order = { groups: ['Users', 'Gone', 'Marks'], events: [], exposes: ['X-User'], scopes: ['bookmarks:all'] };
    const features = Features.of([BookmarkModule, UserModule], order);
    expect(features.groups().map(({ name }) => name)).toEqual(['Users', 'Marks', 'Bookmarks', 'Folders']);
    expect(features.exposedHeaders()).toEqual(['X-User', 'X-Bookmark', 'X-Folder']);
    expect(features.scopes().map(({ name }) => name)).toEqual(['bookmarks:all', 'bookmarks']);
  });

  it('may not have the same name in two modules', () => {
    @Feature({ mails: [{ kind: 'many', template: 'other.hbs', example: {} }], administrativeScopes: ['bookmarks'] })
    class OtherModule {}
    const features = Features.of([BookmarkModule, OtherModule]);
    expect(() => features.unique('mails', 'mail', ({ kind }) => kind)).toThrow(
      'OtherModule defines the mail many, which BookmarkModule defines already. Rename it.',
    );
    expect(() => features.scopes()).toThrow('OtherModule defines the scope bookmarks, which BookmarkModule defines');
  });

  it('open only the routes of their own controllers to their pages', () => {
    @Controller('chat/:chat_id/bookmarks')
    class BookmarksController {
      @Get()
      list(): void {}

      @Get(':id/files/*path')
      file(): void {}
    }
    @Feature({ page: { title: 'x', path: 'x/page', icon: 'tag' }, controllers: [BookmarksController] })
    class PageModule {}
    const routes = Features.of([PageModule, BookmarkModule]).routesBehindPages();
    const isOpen = (path: string) => routes.some((route) => route.test(path));
    expect(['chat/7/bookmarks', 'chat/7/bookmarks/', 'chat/7/bookmarks/3/files/a/b'].map(isOpen)).toEqual([
      true,
      true,
      true,
    ]);
    expect(['chat', 'chat/7', 'chat/7/message', 'chat/7/bookmarks/3', 'chat/7/bookmarksx'].map(isOpen)).not.toContain(
      true,
    );
  });
});
