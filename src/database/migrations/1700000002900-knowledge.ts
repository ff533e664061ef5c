import { MigrationInterface, QueryRunner, Table, type TableColumnOptions } from 'typeorm';
import { type MigrationColumns, migrationColumns } from '../migration-columns';

const isNullable = true;

/** Compares byte for byte, also blanks at the end. MariaDB and MySQL have different names for it. */
const EXACT = `SELECT collation_name AS name FROM information_schema.collations
  WHERE collation_name IN ('utf8mb4_nopad_bin', 'utf8mb4_0900_bin') ORDER BY collation_name DESC LIMIT 1`;

/** Files, collections, their entries and passages, and the work on them; and the blobs that files need. */
export class Knowledge1700000002900 implements MigrationInterface {
  readonly name = 'Knowledge1700000002900';

  async up(queryRunner: QueryRunner): Promise<void> {
    for (const table of tables(migrationColumns(queryRunner))) {
      await queryRunner.createTable(table);
    }
    await compareAttributesExactly(queryRunner);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const { name } of tables(migrationColumns(queryRunner)).reverse()) {
      await queryRunner.dropTable(name);
    }
  }
}

/** `a` and `a ` are two values, as on SQLite. */
async function compareAttributesExactly(queryRunner: QueryRunner): Promise<void> {
  if (queryRunner.dataSource.driver.options.type === 'better-sqlite3') {
    return;
  }
  const [exact] = (await queryRunner.query(EXACT)) as { name: string }[];
  // MySQL before 8.0.17 has none.
  if (exact !== undefined) {
    await queryRunner.query(`ALTER TABLE knowledge_attributes
      MODIFY name varchar(64) COLLATE ${exact.name} NOT NULL,
      MODIFY text_value varchar(512) COLLATE ${exact.name} NULL`);
  }
}

function tables(column: MigrationColumns): Table[] {
  return [
    blobHolders(column),
    ...files(column),
    ...stores(column),
    ...entries(column),
    ...batches(column),
    jobs(column),
    removals(column),
    ...texts(column),
  ];
}

function key(definition: TableColumnOptions): TableColumnOptions {
  return { ...definition, isPrimary: true };
}

function index(name: string, ...columnNames: string[]): { name: string; columnNames: string[] } {
  return { name, columnNames };
}

function blobHolders(column: MigrationColumns): Table {
  return new Table({
    name: 'blob_holders',
    columns: [key(column.text('kind', 32)), key(column.integer('holder_id')), column.text('hash', 64)],
    indices: [index('ix_blob_holders_hash', 'hash')],
  });
}

function files(column: MigrationColumns): Table[] {
  return [
    new Table({
      name: 'knowledge_files',
      columns: [
        column.id(),
        column.integer('owner_id', { isNullable }),
        column.integer('chat_id', { isNullable }),
        column.text('sha256', 64),
        column.integer('bytes'),
        column.integer('text_bytes', { default: 0 }),
        column.text('media_type', 127),
        column.text('filename', 255),
        column.text('purpose', 16),
        column.timestamp('created_at'),
        column.timestamp('expires_at', { isNullable }),
      ],
      indices: [
        index('ix_knowledge_files_owner_id', 'owner_id', 'created_at'),
        index('ix_knowledge_files_chat_id', 'chat_id'),
        index('ix_knowledge_files_expires_at', 'expires_at'),
        index('ix_knowledge_files_sha256', 'sha256'),
      ],
    }),
    new Table({
      name: 'knowledge_uploads',
      columns: [
        column.id(),
        column.integer('user_id'),
        column.integer('bytes'),
        column.text('filename', 255),
        column.text('media_type', 255),
        column.text('purpose', 16),
        column.integer('expires_after_seconds', { isNullable }),
        column.text('status', 16),
        column.longText('part_ids', { isNullable }),
        column.integer('file_id', { isNullable }),
        column.timestamp('created_at'),
        column.timestamp('expires_at'),
      ],
      indices: [
        index('ix_knowledge_uploads_user_id', 'user_id'),
        index('ix_knowledge_uploads_expires_at', 'expires_at'),
      ],
    }),
    new Table({
      name: 'knowledge_upload_parts',
      columns: [
        column.id(),
        column.integer('upload_id'),
        column.text('sha256', 64),
        column.integer('bytes'),
        column.timestamp('created_at'),
      ],
      indices: [index('ix_knowledge_upload_parts_upload_id', 'upload_id')],
    }),
  ];
}

function stores(column: MigrationColumns): Table[] {
  return [
    new Table({
      name: 'knowledge_stores',
      columns: [
        column.id(),
        column.integer('owner_id', { isNullable }),
        column.integer('chat_id', { isNullable }),
        column.text('name', 256),
        column.text('description', 1000, { isNullable }),
        column.longText('metadata'),
        column.text('everyone', 16, { isNullable }),
        column.boolean('trusted'),
        column.timestamp('last_active_at'),
        column.integer('expires_after_days', { isNullable }),
        column.timestamp('expires_at', { isNullable }),
        column.timestamp('expired_at', { isNullable }),
        column.timestamp('created_at'),
        column.timestamp('updated_at'),
      ],
      indices: [
        index('ix_knowledge_stores_owner_id', 'owner_id', 'created_at'),
        index('ix_knowledge_stores_everyone', 'everyone', 'created_at'),
        index('ix_knowledge_stores_chat_id', 'chat_id'),
        index('ix_knowledge_stores_expires_at', 'expires_at'),
      ],
    }),
    new Table({
      name: 'knowledge_store_groups',
      columns: [key(column.integer('store_id')), key(column.integer('group_id')), column.text('role', 16)],
      indices: [index('ix_knowledge_store_groups_group_id', 'group_id', 'store_id')],
    }),
  ];
}

function entries(column: MigrationColumns): Table[] {
  return [
    new Table({
      name: 'knowledge_entries',
      columns: [
        column.id(),
        column.integer('store_id'),
        column.integer('file_id'),
        column.integer('added_by', { isNullable }),
        column.text('request_id', 64, { isNullable }),
        column.text('status', 16),
        column.text('stage', 16, { isNullable }),
        column.integer('progress_done'),
        column.integer('progress_total'),
        column.text('error_code', 32, { isNullable }),
        column.text('warning', 32, { isNullable }),
        column.longText('attributes'),
        column.integer('chunk_size'),
        column.integer('chunk_overlap'),
        column.integer('next_chunk_size', { isNullable }),
        column.integer('next_chunk_overlap', { isNullable }),
        column.integer('ingestion_id', { isNullable }),
        column.integer('passages'),
        column.bigInteger('usage_bytes'),
        column.timestamp('created_at'),
        column.timestamp('completed_at', { isNullable }),
      ],
      indices: [
        { ...index('uq_knowledge_entries_file', 'store_id', 'file_id'), isUnique: true },
        index('ix_knowledge_entries_created_at', 'store_id', 'created_at'),
        index('ix_knowledge_entries_status', 'store_id', 'status', 'passages', 'usage_bytes'),
        index('ix_knowledge_entries_file_id', 'file_id'),
        index('ix_knowledge_entries_added_by', 'added_by'),
        index('ix_knowledge_entries_failed', 'status', 'completed_at'),
      ],
    }),
    new Table({
      name: 'knowledge_attributes',
      columns: [
        key(column.integer('entry_id')),
        key(column.text('name', 64)),
        column.text('text_value', 512, { isNullable }),
        column.double('number_value', { isNullable }),
        column.boolean('boolean_value', { isNullable }),
      ],
    }),
  ];
}

function batches(column: MigrationColumns): Table[] {
  return [
    new Table({
      name: 'knowledge_batches',
      columns: [
        column.id(),
        column.integer('store_id'),
        column.integer('user_id', { isNullable }),
        column.timestamp('created_at'),
        column.timestamp('cancelled_at', { isNullable }),
      ],
      indices: [index('ix_knowledge_batches_store_id', 'store_id'), index('ix_knowledge_batches_user_id', 'user_id')],
    }),
    new Table({
      name: 'knowledge_batch_entries',
      columns: [
        key(column.integer('batch_id')),
        key(column.integer('entry_id')),
        column.integer('file_id'),
        column.integer('job_id', { isNullable }),
        column.boolean('started'),
        column.text('status', 16),
      ],
      indices: [
        index('ix_knowledge_batch_entries_job_id', 'job_id'),
        index('ix_knowledge_batch_entries_file_id', 'file_id'),
      ],
    }),
  ];
}

function jobs(column: MigrationColumns): Table {
  return new Table({
    name: 'knowledge_jobs',
    columns: [
      column.id(),
      column.integer('entry_id'),
      column.integer('owner_id', { isNullable }),
      column.text('kind', 16),
      column.text('state', 16),
      column.text('stage', 16),
      column.text('lease_owner', 64, { isNullable }),
      column.timestamp('lease_until', { isNullable }),
      column.integer('attempts'),
      column.timestamp('next_at'),
      column.timestamp('created_at'),
    ],
    indices: [
      index('ix_knowledge_jobs_entry_id', 'entry_id'),
      index('ix_knowledge_jobs_state', 'state', 'next_at'),
      index('ix_knowledge_jobs_owner_id', 'owner_id', 'state'),
    ],
  });
}

function removals(column: MigrationColumns): Table {
  return new Table({
    name: 'knowledge_removals',
    columns: [column.id(), column.integer('store_id', { isNullable }), column.integer('entry_id', { isNullable })],
  });
}

function texts(column: MigrationColumns): Table[] {
  return [
    new Table({
      name: 'knowledge_texts',
      columns: [
        column.id(),
        column.integer('owner_id', { isNullable }),
        column.text('sha256', 64),
        column.text('parser_version', 32),
        column.integer('length'),
        column.longText('pages'),
      ],
      indices: [
        {
          ...index('uq_knowledge_texts_content', 'owner_id', 'sha256', 'parser_version'),
          isUnique: true,
        },
      ],
    }),
    new Table({
      name: 'knowledge_text_pieces',
      columns: [
        key(column.integer('text_id')),
        key(column.integer('number')),
        column.integer('start_offset'),
        column.longText('text'),
      ],
    }),
    new Table({
      name: 'knowledge_passages',
      columns: [
        column.id(),
        column.integer('store_id'),
        column.integer('entry_id'),
        column.integer('ingestion_id'),
        column.integer('number'),
        column.integer('text_id'),
        column.integer('start_offset'),
        column.integer('end_offset'),
        column.integer('page', { isNullable }),
        column.text('heading', 200, { isNullable }),
        column.integer('tokens'),
        column.text('hash', 64),
      ],
      indices: [
        { ...index('uq_knowledge_passages_number', 'ingestion_id', 'number'), isUnique: true },
        index('ix_knowledge_passages_store_id', 'store_id', 'ingestion_id'),
        index('ix_knowledge_passages_entry_id', 'entry_id', 'ingestion_id'),
        index('ix_knowledge_passages_text_id', 'text_id'),
      ],
    }),
  ];
}
