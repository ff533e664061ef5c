import { type INestApplicationContext, Injectable, Logger, Module } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { TypeOrmModule } from '@nestjs/typeorm';
import { Column, Entity, type EntityManager, In, MoreThan, PrimaryGeneratedColumn, Table } from 'typeorm';
import { CommonModule } from '../../src/common/common.module';
import { Lifecycle } from '../../src/common/lifecycle';
import { BackgroundWork } from '../../src/database/background-work';
import { Database } from '../../src/database/database';
import { DatabaseModule } from '../../src/database/database.module';
import { SharedClock } from '../../src/database/shared-clock';
import type { IndexedDocuments, NewDocument } from '../../src/integrations/text-index/indexed-documents';
import { TextIndex } from '../../src/integrations/text-index/text-index';
import { textIndexTables } from '../../src/integrations/text-index/text-index-tables';
import { eventually } from '../support/eventually';
import { partOfService } from '../support/service-features';

/** How many documents a segment has here. */
export const SEGMENT = 16;

const NOTE_SEARCH = textIndexTables('note_search');

/** Another kind of texts than messages: notes of owners in folders. */
@Entity('notes')
class NoteEntity {
  @PrimaryGeneratedColumn()
  id: number;

  @Column({ name: 'owner_id', type: 'int' })
  ownerId: number;

  @Column({ name: 'folder_id', type: 'int' })
  folderId: number;

  @Column({ type: 'varchar', length: 200 })
  text: string;

  @Column({ name: 'is_draft', type: 'boolean', default: false })
  isDraft: boolean;
}

const TABLES = [NOTE_SEARCH.segments, NOTE_SEARCH.grams, NOTE_SEARCH.progress];
type Note = Pick<NoteEntity, 'ownerId' | 'folderId' | 'text'> & Partial<NoteEntity>;

/** What the index keeps to itself. */
interface Inner {
  collector: { segmentDocuments: number };
}

@Injectable()
class Notes implements IndexedDocuments {
  readonly table = 'notes';

  constructor(private readonly database: Database) {
    database.onReady(() => this.createTables());
  }

  async after(manager: EntityManager, id: number, _before: Date, limit: number): Promise<NewDocument[]> {
    const notes = await manager.find(NoteEntity, { where: { id: MoreThan(id) }, order: { id: 'ASC' }, take: limit });
    return notes.map(({ id, ownerId, folderId: groupId, isDraft: isOpen, text }) => ({
      ...{ id, ownerId, groupId, isOpen },
      length: lengthOf(text),
    }));
  }

  async lengths(ids: number[]): Promise<Map<number, number>> {
    return new Map(Array.from(await this.texts(ids), ([id, text]) => [id, lengthOf(text)]));
  }

  async texts(ids: number[]): Promise<Map<number, string>> {
    const notes = await this.database.repository(NoteEntity).findBy({ id: In(ids) });
    return new Map(notes.map(({ id, text }) => [id, text]));
  }

  /** As the migrations of a feature would do. */
  private createTables(): Promise<void> {
    return this.database.write(async (manager) => {
      const { dataSource, queryRunner } = manager;
      for (const entity of [NoteEntity, ...TABLES]) {
        await queryRunner?.createTable(Table.create(dataSource.getMetadata(entity), dataSource.driver));
      }
      await manager.insert(NOTE_SEARCH.progress, { id: 1, documentId: 0 });
    });
  }
}

@Injectable()
class NoteIndex extends TextIndex {
  constructor(database: Database, clock: SharedClock, background: BackgroundWork, notes: Notes) {
    super({ database, clock, background }, notes, NOTE_SEARCH);
  }
}

/** Without tags, as the length of a message is that without the names of its files. */
function lengthOf(text: string): number {
  return text.replaceAll(/#\w+/g, '').length;
}

@Module({ imports: [TypeOrmModule.forFeature([NoteEntity, ...TABLES])], providers: [Notes, NoteIndex] })
class NoteModule {}

/** A process that has nothing but notes, and the tables of the service. */
export class NoteService {
  private constructor(private readonly app: INestApplicationContext) {
    this.app.get<unknown, Inner>(NoteIndex).collector.segmentDocuments = SEGMENT;
  }

  static async start(databaseUrl: string): Promise<NoteService> {
    const environment = { NODE_ENV: 'test', DATABASE_URL: databaseUrl };
    const builder = Test.createTestingModule({
      imports: partOfService(environment, [DatabaseModule.forRoot(), CommonModule, NoteModule]),
    });
    const app = await builder.compile();
    Logger.overrideLogger(false);
    const service = new NoteService(app);
    await app.init();
    await service.database.whenReady();
    return service;
  }

  get index(): TextIndex {
    return this.app.get(NoteIndex);
  }

  get database(): Database {
    return this.app.get(Database);
  }

  /** @returns the ids */
  async add(notes: Note[]): Promise<number[]> {
    const added = await this.database.write((manager) => manager.save(NoteEntity, notes));
    return added.map(({ id }) => id);
  }

  async change(id: number, changes: Partial<NoteEntity>): Promise<void> {
    await this.database.write((manager) => manager.update(NoteEntity, id, changes));
  }

  /** Erases folders, and takes them out of the index. */
  async erase(ownerId: number, folderIds: number[]): Promise<void> {
    await this.database.write((manager) => manager.delete(NoteEntity, { folderId: In(folderIds) }));
    await this.index.removeGroups([ownerId], folderIds);
  }

  /** Until only so many notes are left, whoever of this test and the service's own loop does it. */
  async fill(left = 0): Promise<void> {
    await eventually(async () => {
      while (await this.index.fill());
      return ((await this.index.waiting()) === 0 && (await this.index.lag()) === left) || undefined;
    });
  }

  /** The rows of an owner in the segments, and those of their grams. */
  async stored(ownerId: number): Promise<{ segments: number; grams: number }> {
    const segments = await this.database.repository(NOTE_SEARCH.segments).findBy({ ownerId });
    const segmentId = In(segments.map(({ id }) => id));
    return {
      segments: segments.length,
      grams: await this.database.repository(NOTE_SEARCH.grams).countBy({ segmentId }),
    };
  }

  async close(): Promise<void> {
    await this.app.get(Lifecycle).drain();
    await this.app.close();
  }
}
