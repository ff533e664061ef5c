import { MigrationInterface, QueryRunner, Table } from 'typeorm';
import { migrationColumns } from '../migration-columns';

/** Events that users read as a stream, who reads them, and how far they are numbered. */
export class EventFeed1700000002510 implements MigrationInterface {
  readonly name = 'EventFeed1700000002510';

  async up(queryRunner: QueryRunner): Promise<void> {
    const column = migrationColumns(queryRunner);
    const isNullable = true;
    await queryRunner.createTable(
      new Table({
        name: 'feed_events',
        columns: [
          column.id(),
          column.bigInteger('number', { isNullable }),
          column.integer('user_id', { isNullable }),
          column.text('public_id', 40),
          column.text('type', 64),
          column.longText('data'),
          column.timestamp('occurred_at'),
        ],
        indices: [
          { name: 'uq_feed_events_number', columnNames: ['number'], isUnique: true },
          { name: 'ix_feed_events_user_id_number', columnNames: ['user_id', 'number'] },
        ],
      }),
    );
    await queryRunner.createTable(
      new Table({
        name: 'feed_followers',
        columns: [
          { ...column.integer('user_id'), isPrimary: true },
          column.timestamp('since'),
          column.timestamp('until'),
          column.bigInteger('version'),
        ],
        indices: [{ name: 'ix_feed_followers_version', columnNames: ['version'] }],
      }),
    );
    await queryRunner.createTable(
      new Table({
        name: 'feed_counters',
        columns: [
          { ...column.text('name', 16), isPrimary: true },
          column.bigInteger('value'),
          column.text('owner', 36, { isNullable }),
          column.timestamp('leased_until', { isNullable }),
        ],
      }),
    );
    await queryRunner.createTable(
      new Table({
        name: 'feed_seats',
        columns: [
          column.id(),
          column.integer('user_id'),
          column.integer('slot'),
          column.text('owner', 36),
          column.timestamp('leased_until'),
        ],
        indices: [
          { name: 'uq_feed_seats_user_id_slot', columnNames: ['user_id', 'slot'], isUnique: true },
          { name: 'ix_feed_seats_owner', columnNames: ['owner'] },
        ],
      }),
    );
    // Where an earlier start was cut behind this statement, it has nothing left to do.
    await queryRunner.query(
      'INSERT INTO feed_counters (name, value) ' +
        "SELECT name, 0 FROM (SELECT 'numbers' AS name UNION ALL SELECT 'followers') AS counters " +
        'WHERE NOT EXISTS (SELECT 1 FROM feed_counters)',
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const table of ['feed_seats', 'feed_counters', 'feed_followers', 'feed_events']) {
      await queryRunner.dropTable(table);
    }
  }
}
