import { Logger, OnModuleInit } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { Feature } from '../../common/features/feature.decorator';
import { connectionSettings } from '../../database/connection/connection-settings';
import { Database } from '../../database/database';
import { DatabaseConfig } from '../../database/database.config';
import { SharedClock } from '../../database/shared-clock';
import { FolderBlobStore } from './adapters/folder-blob-store';
import { S3BlobStore } from './adapters/s3-blob-store';
import { TableBlobStore } from './adapters/table-blob-store';
import { BlobEntity } from './blob.entity';
import { BlobHolderEntity } from './blob-holder.entity';
import { BlobHolders } from './blob-holders';
import { BlobPieceEntity } from './blob-piece.entity';
import { blobPlace } from './blob-place';
import { BlobReferenceEntity } from './blob-reference.entity';
import { BlobCollector, BlobReferences } from './blob-references';
import { BlobStore } from './blob-store';
import { BlobStoreConfig } from './blob-store.config';
import { DiskFloor } from './disk-floor';

/** Another kind of store needs one more adapter and one more case here. */
const store = {
  provide: BlobStore,
  inject: [Database, SharedClock, DatabaseConfig, BlobStoreConfig],
  useFactory: (
    database: Database,
    clock: SharedClock,
    { DATABASE_URL }: DatabaseConfig,
    config: BlobStoreConfig,
  ): BlobStore => {
    const place = blobPlace(connectionSettings(DATABASE_URL), config);
    switch (place.kind) {
      case 's3':
        return new S3BlobStore(database, clock, place.settings);
      case 'folder':
        return new FolderBlobStore(database, clock, place.folder);
      case 'database':
        return new TableBlobStore(database, clock);
    }
  },
};

/**
 * Images and files. Start with `BlobStore`, which stores bytes by their hash. `BlobReferences` records which messages
 * need them, and `BlobHolders` which rows of other tables. `BlobCollector` erases the others, and `DiskFloor` reserves
 * disk space for the database.
 */
@Feature({
  configuration: [BlobStoreConfig],
  imports: [TypeOrmModule.forFeature([BlobEntity, BlobPieceEntity, BlobReferenceEntity, BlobHolderEntity])],
  providers: [store, BlobCollector, BlobReferences, BlobHolders, DiskFloor],
  exports: [BlobStore, BlobReferences, BlobHolders, DiskFloor],
})
export class BlobStoreModule implements OnModuleInit {
  private readonly logger = new Logger(BlobStoreModule.name);

  constructor(private readonly config: BlobStoreConfig) {}

  /**
   * Files are never moved later, so an operator who meant to use the bucket should learn of the mistake before the
   * first file.
   */
  onModuleInit(): void {
    if (this.config.S3_BUCKET !== null && this.config.BLOB_STORE !== 's3') {
      this.logger.warn(
        'S3_BUCKET counts for nothing: images and files are put into the bucket only with BLOB_STORE=s3.',
      );
    }
  }
}
