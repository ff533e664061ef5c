import { Column, Entity, type EntityManager, PrimaryColumn, PrimaryGeneratedColumn, Table } from 'typeorm';
import { BigIntegerColumn, JsonColumn, LongTextColumn, TimestampColumn } from '../../src/database/columns';
import { connectionSettings } from '../../src/database/connection/connection-settings';
import { dataSourceOptions } from '../../src/database/connection/data-source-options';
import { ServiceDataSource } from '../../src/database/connection/service-data-source';
import { Database } from '../../src/database/database';
import { migrationColumns } from '../../src/database/migration-columns';
import { createTestDatabase } from './servers/test-database';

/** One column of each type that the service uses. Some have different names in the table and the entity. */
@Entity('samples')
export class Sample {
  @PrimaryGeneratedColumn()
  id: number;

  @Column({ type: 'varchar', length: 64, nullable: true })
  text: string | null;

  @LongTextColumn({ name: 'long_text', nullable: true })
  longText: string | null;

  @Column({ type: 'int', nullable: true })
  whole: number | null;

  @BigIntegerColumn({ name: 'big_number', nullable: true })
  bigNumber: number | null;

  @Column({ type: 'double', nullable: true })
  fraction: number | null;

  @Column({ name: 'is_true', type: 'boolean', nullable: true })
  isTrue: boolean | null;

  @JsonColumn({ nullable: true })
  json: unknown;

  @TimestampColumn({ name: 'happened_at', nullable: true })
  happenedAt: Date | null;
}

@Entity('counters')
export class Counter {
  @PrimaryColumn({ type: 'varchar', length: 16 })
  name: string;

  @Column({ type: 'int', default: 0 })
  hits: number;
}

/** Creates the tables of `Sample` and `Counter`. */
async function createSampleTables({ queryRunner }: EntityManager): Promise<void> {
  const column = migrationColumns(queryRunner!);
  const nullable = { isNullable: true };
  await queryRunner!.createTable(
    new Table({
      name: 'samples',
      columns: [
        column.id(),
        column.text('text', 64, nullable),
        column.longText('long_text', nullable),
        column.integer('whole', nullable),
        column.bigInteger('big_number', nullable),
        column.double('fraction', nullable),
        column.boolean('is_true', nullable),
        column.longText('json', nullable),
        column.timestamp('happened_at', nullable),
      ],
    }),
  );
  const name = { ...column.text('name', 16), isPrimary: true };
  await queryRunner!.createTable(
    new Table({ name: 'counters', columns: [name, column.integer('hits', { default: 0 })] }),
  );
}

/** A database with only these tables, for the tests in a file. */
export function useSampleDatabase(): { readonly database: Database; readonly source: ServiceDataSource } {
  let drop: () => Promise<void>;
  let database: Database;
  let source: ServiceDataSource;
  beforeAll(async () => {
    const created = await createTestDatabase();
    drop = created.drop;
    const settings = connectionSettings(created.url);
    source = new ServiceDataSource({ ...dataSourceOptions(settings, [Sample, Counter]), migrations: [] });
    database = new Database(source, settings);
    await database.onModuleInit();
    await database.whenReady();
    await database.write((manager) => createSampleTables(manager));
  });
  afterAll(async () => {
    await database.onApplicationShutdown();
    await drop();
  });
  return {
    get database() {
      return database;
    },
    get source() {
      return source;
    },
  };
}
