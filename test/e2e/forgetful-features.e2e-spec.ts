import { join } from 'node:path';
import { Logger } from '@nestjs/common';
import { EntitiesMetadataStorage } from '@nestjs/typeorm/dist/entities-metadata.storage';
import { NoteEntity } from '../fixtures/forgetful/note.entity';
import { NoteModule } from '../fixtures/forgetful/note.module';
import { call, expectFailure } from '../support/http';
import { useOwnTestApp } from '../support/use-app';

const FOLDER = join(__dirname, '../fixtures/forgetful');
const MODULE = join(FOLDER, 'note.module.ts');

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
  });

  it('reports all of it, with the file to change', () => {
    const reports = warned.filter((text) => text.startsWith('NoteModule'));
    expect(reports.sort()).toEqual([
      `NoteModule does not export or erase the table forgetful_notes, which has users' ids in user_id. Register NoteEntity ` +
        `with PersonalDataRegistry in a provider, and add that to providers in ${MODULE}.`,
      `NoteModule does not name the event note.torn. Add noteTorn of ${join(FOLDER, 'note.events.ts')} to events in ${MODULE}.`,
      `NoteModule does not name the migration Notes1800000000001. Add Notes1800000000001 of ` +
        `${join(FOLDER, 'migrations/1800000000001-notes.ts')} to migrations in ${MODULE}.`,
      `NoteModule has no table forgetful_notes for NoteEntity. Add the migration that creates it to migrations in ${MODULE}.`,
      `NoteModule has no text for the error NOTE_TORN. Add errors.NOTE_TORN to ${join(FOLDER, 'locales/en.json')}.`,
    ]);
  });

  it('serves it, in English where it has no other language', async () => {
    const answer = await call(`${app.url}/notes/wet`, { headers: { 'accept-language': 'de' } });
    expect(expectFailure(answer, 409, 'NOTE_WET').message).toBe('The note is wet. Dry it first.');
  });
});
