import { Logger } from '@nestjs/common';
import { EntitiesMetadataStorage } from '@nestjs/typeorm/dist/entities-metadata.storage';
import { NoteEntity, PageEntity } from '../fixtures/forgetful/note.entity';
import { NoteModule } from '../fixtures/forgetful/note.module';
import { call, expectFailure } from '../support/http';
import { useOwnTestApp } from '../support/use-app';

describe('a start with a feature that forgot something', () => {
  const warned: string[] = [];
  beforeAll(() => {
    jest.spyOn(Logger.prototype, 'warn').mockImplementation((text: unknown) => void warned.push(String(text)));
  });
  const app = useOwnTestApp({}, [NoteModule]);
  // Nest adds it to all later applications of this process, whose databases have no table for it.
  afterAll(() => {
    const entities = EntitiesMetadataStorage.getEntitiesByDataSource('default');
    entities.splice(entities.indexOf(NoteEntity), 1);
    entities.splice(entities.indexOf(PageEntity), 1);
  });

  it('reports all of it, with the class to change', () => {
    const reports = warned.filter((text) => text.startsWith('NoteModule'));
    expect(reports.sort()).toEqual([
      `NoteModule does not export or erase the table forgetful_notes, which has users' ids in user_id. Register NoteEntity ` +
        'with PersonalDataRegistry in a provider, and add that to providers of its @Feature.',
      'NoteModule does not name the event note.torn. Add noteTorn of note.events to events of its @Feature.',
      'NoteModule does not name the migration Notes1800000000001. Add it, of 1800000000001-notes, to migrations of its @Feature.',
      'NoteModule has no column torn in the table forgetful_pages. Add a migration that adds it to migrations of its @Feature.',
      'NoteModule has no table forgetful_notes for NoteEntity. Add the migration that creates it to migrations of its @Feature.',
      'NoteModule has no text for errors.NOTE_TORN. Add it to locales/en.json of the module.',
      'NoteModule has no text for messages.note_dried. Add it to locales/en.json of the module.',
    ]);
  });

  it('serves it, in English where it has no other language', async () => {
    const answer = await call(`${app.url}/notes/wet`, { headers: { 'accept-language': 'de' } });
    expect(expectFailure(answer, 409, 'NOTE_WET').message).toBe('The note is wet. Dry it first.');
  });
});
