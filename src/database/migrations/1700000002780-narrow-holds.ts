import { MigrationInterface, QueryRunner, Table } from 'typeorm';
import { migrationColumns } from '../migration-columns';

/** On SQLite what is held becomes one tree instead of two: each reply under a budget writes and removes a row of it. */
export class NarrowHolds1700000002780 implements MigrationInterface {
  readonly name = 'NarrowHolds1700000002780';

  up(queryRunner: QueryRunner): Promise<void> {
    return rebuild(queryRunner, true);
  }

  down(queryRunner: QueryRunner): Promise<void> {
    return rebuild(queryRunner, false);
  }
}

async function rebuild(queryRunner: QueryRunner, withoutRowid: boolean): Promise<void> {
  if (queryRunner.dataSource.driver.options.type !== 'better-sqlite3') {
    return;
  }
  const column = migrationColumns(queryRunner);
  await queryRunner.query('ALTER TABLE budget_holds RENAME TO budget_holds_before');
  await queryRunner.createTable(
    new Table({
      name: 'budget_holds',
      columns: [
        { ...column.integer('message_id'), isPrimary: true },
        { ...column.text('name', 40), isPrimary: true },
        { ...column.integer('window_id'), isPrimary: true },
        column.bigInteger('units'),
        column.bigInteger('picos'),
        column.bigInteger('least_units'),
        column.bigInteger('least_picos'),
        column.text('owner_id', 36),
        column.timestamp('created_at'),
        column.longText('other_window_ids', { isNullable: true }),
      ],
      withoutRowid,
    }),
  );
  await queryRunner.query('INSERT INTO budget_holds SELECT * FROM budget_holds_before');
  await queryRunner.query('DROP TABLE budget_holds_before');
}
