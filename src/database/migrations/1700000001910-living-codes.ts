import { MigrationInterface, QueryRunner, type TableColumnOptions } from 'typeorm';
import { migrationColumns } from '../migration-columns';

/** A one-time code can be sent again as long as it lives, and knows what each client has tried. */
export class LivingCodes1700000001910 implements MigrationInterface {
  readonly name = 'LivingCodes1700000001910';

  async up(queryRunner: QueryRunner): Promise<void> {
    for (const { name, type, length, precision } of addedColumns(queryRunner)) {
      const size = length ?? precision;
      // Not `addColumn`, which copies the whole table on SQLite: this one needs only the schema.
      await queryRunner.query(
        `ALTER TABLE verification_codes ADD COLUMN ${name} ${type}${size === undefined ? '' : `(${size})`} NULL`,
      );
    }
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const { name } of addedColumns(queryRunner).reverse()) {
      await queryRunner.query(`ALTER TABLE verification_codes DROP COLUMN ${name}`);
    }
  }
}

function addedColumns(queryRunner: QueryRunner): TableColumnOptions[] {
  const column = migrationColumns(queryRunner);
  return [column.text('sealed_code', 128), column.longText('tries'), column.timestamp('first_sent_at')];
}
