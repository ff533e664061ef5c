import { MigrationInterface, QueryRunner, Table } from 'typeorm';
import { migrationColumns } from '../migration-columns';

/** The clients that have signed in to an account. */
export class KnownClients1700000001900 implements MigrationInterface {
  readonly name = 'KnownClients1700000001900';

  async up(queryRunner: QueryRunner): Promise<void> {
    const column = migrationColumns(queryRunner);
    await queryRunner.createTable(
      new Table({
        name: 'known_clients',
        columns: [
          column.id(),
          column.integer('user_id'),
          column.text('kind', 16),
          column.text('client_hash', 64),
          column.timestamp('signed_in_at'),
        ],
        indices: [
          {
            name: 'uq_known_clients_user_id_client_hash',
            columnNames: ['user_id', 'client_hash'],
            isUnique: true,
          },
          { name: 'ix_known_clients_signed_in_at', columnNames: ['signed_in_at'] },
        ],
      }),
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropTable('known_clients');
  }
}
