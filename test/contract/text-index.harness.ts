import { type INestApplicationContext, Injectable, Logger, Module } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { TypeOrmModule } from '@nestjs/typeorm';
import { EntitiesMetadataStorage } from '@nestjs/typeorm/dist/entities-metadata.storage';
import { Column, Entity, In, MoreThan, PrimaryGeneratedColumn, Table } from 'typeorm';
import { Clock } from '../../src/common/clock';
import { CommonModule } from '../../src/common/common.module';
import { Lifecycle } from '../../src/common/lifecycle';
import { HOUR_MILLISECONDS, MINUTE_MILLISECONDS } from '../../src/common/time';
import { BackgroundWork } from '../../src/database/background-work';
import { Database } from '../../src/database/database';
import { DatabaseModule } from '../../src/database/database.module';
import { SharedClock } from '../../src/database/shared-clock';
import type { IndexedDocuments } from '../../src/integrations/text-index/indexed-documents';
import { TextIndex } from '../../src/integrations/text-index/text-index';
import { textIndexTables } from '../../src/integrations/text-index/text-index-tables';
import { eventually } from '../support/eventually';
import { partOfService } from '../support/service-features';

/** The number of documents in a segment here. */
export const SEGMENT = 16;

const NOTE_SEARCH = textIndexTables('note_search');

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

  /** Its position in the folder. */
  @Column({ type: 'int', default: 0 })
  place: number;

  @Column({ name: 'is_draft', type: 'boolean', default: false })
  isDraft: boolean;

  @Column({ name: 'is_in_trash', type: 'boolean', default: false })
  isInTrash: boolean;
}

const TABLES = [NOTE_SEARCH.segments, NOTE_SEARCH.grams, NOTE_SEARCH.progress];
type Note = Pick<NoteEntity, 'ownerId' | 'folderId' | 'text'> & Partial<NoteEntity>;

/** Internal functions of the index. */
interface Inner {
  collector: { segmentDocuments: number };
}

/** A document type other than messages: notes of owners in folders. */
const NOTES: IndexedDocuments = {
  table: 'notes',
  // Without its first tag, just as the length of a message excludes the names of its files.
  columns: {
    group: 'folder_id',
    place: 'place',
    text: 'text',
    length: "CASE WHEN text LIKE '#%' THEN 0 ELSE LENGTH(text) END",
  },
  isFound: 'is_in_trash = 0',
  isOfOwner: 'owner_id = ?',
  mayChange: 'is_draft = 1',

  async after(manager, id, limit) {
    const notes = await manager.find(NoteEntity, { where: { id: MoreThan(id) }, order: { id: 'ASC' }, take: limit });
    return notes.map(({ id, ownerId, folderId: groupId, isDraft: isOpen, text }) => ({
      id,
      ownerId,
      groupId,
      isOpen,
      length: text.startsWith('#') ? 0 : text.length,
    }));
  },
};

@Injectable()
class NoteIndex extends TextIndex {
  constructor(database: Database, clock: SharedClock, background: BackgroundWork) {
    super({ database, clock, background }, NOTES, NOTE_SEARCH);
    database.onReady(() => this.createTables());
  }

  /** Like the migrations of a feature. */
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

@Module({ providers: [NoteIndex] })
class NoteModule {}

/** A process that runs only notes, with the tables of the service. */
export class NoteService {
  /** How far the clock of the process is ahead. */
  private hours = 0;

  private constructor(private readonly app: INestApplicationContext) {
    this.app.get<unknown, Inner>(NoteIndex).collector.segmentDocuments = SEGMENT;
    this.app.get(Clock).now = () => new Date(Date.now() + this.hours * HOUR_MILLISECONDS);
  }

  static async start(databaseUrl: string): Promise<NoteService> {
    const environment = { NODE_ENV: 'test', DATABASE_URL: databaseUrl };
    const notes = { module: NoteModule, imports: [TypeOrmModule.forFeature([NoteEntity, ...TABLES])] };
    const builder = Test.createTestingModule({
      imports: partOfService(environment, [DatabaseModule.forRoot(), CommonModule, notes]),
    });
    const app = await builder.compile();
    Logger.overrideLogger(false);
    const service = new NoteService(app);
    await app.init();
    await service.database.whenReady();
    // Nest keeps them for all later services in this process, which do not have these tables.
    const known = EntitiesMetadataStorage.getEntitiesByDataSource('default');
    [NoteEntity, ...TABLES].forEach((entity) => known.splice(known.indexOf(entity), 1));
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

  /** Erases folders, and removes them from the index. */
  async erase(ownerId: number, folderIds: number[]): Promise<void> {
    await this.database.write((manager) => manager.delete(NoteEntity, { folderId: In(folderIds) }));
    await this.index.removeGroups([ownerId], folderIds);
  }

  /** The folders that have a note with the text. */
  async find(ownerId: number, text: string, folderIds: number[]): Promise<number[]> {
    const search = await this.index.search(ownerId, text);
    return search.among(folderIds, async () => {
      const notes = await this.database.repository(NoteEntity).findBy({ ownerId });
      return folderIds.map((id) => ({ id, documents: notes.filter(({ folderId }) => folderId === id).length }));
    });
  }

  /** Runs until only this number of notes is left, whether this test or the service's own loop removes them. */
  async fill(left = 0): Promise<void> {
    await eventually(async () => {
      // Notes from the previous round are old enough then.
      this.hours++;
      while (await this.index.fill());
      return ((await this.index.waiting()) === 0 && (await this.index.lag()) === left) || undefined;
    });
  }

  /** Rebuilds the segments of an owner. @returns in how many minutes each may be checked again */
  async buildAnew(ownerId: number): Promise<number[]> {
    const segments = this.database.repository(NOTE_SEARCH.segments);
    await this.database.write((manager) =>
      manager.update(NOTE_SEARCH.segments, { ownerId }, { isBuilt: false, claimedUntil: null }),
    );
    while (await this.index.fill());
    const now = this.app.get(SharedClock).now().getTime();
    return (await segments.findBy({ ownerId })).map(({ claimedUntil }) =>
      Math.round((Number(claimedUntil) - now) / MINUTE_MILLISECONDS),
    );
  }

  /** The rows of an owner in the segments, and their grams. */
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
