import { TypeOrmModule } from '@nestjs/typeorm';
import { Clock } from '../../common/clock';
import { Feature } from '../../common/features/feature.decorator';
import { connectionSettings } from '../../database/connection/connection-settings';
import { Database } from '../../database/database';
import { DatabaseConfig } from '../../database/database.config';
import { blobFolder } from '../../database/sqlite/blob-folder';
import { FolderBlobStore } from './adapters/folder-blob-store';
import { TableBlobStore } from './adapters/table-blob-store';
import { BlobEntity } from './blob.entity';
import { BlobCollector } from './blob-collector';
import { BlobPieceEntity } from './blob-piece.entity';
import { BlobReferenceEntity } from './blob-reference.entity';
import { BlobReferences } from './blob-references';
import { BlobStore } from './blob-store';
import { BlobStoreConfig } from './blob-store.config';
import { DiskFloor } from './disk-floor';

/** Another store is one more adapter and one more case here. */
const store = {
  provide: BlobStore,
  inject: [Database, Clock, DatabaseConfig],
  useFactory: (database: Database, clock: Clock, { DATABASE_URL }: DatabaseConfig): BlobStore => {
    const folder = blobFolder(connectionSettings(DATABASE_URL));
    return folder === null ? new TableBlobStore(database, clock) : new FolderBlobStore(database, clock, folder);
  },
};

/**
 * Images and files of messages. Start with `BlobStore`, which stores bytes by their hash; `BlobReferences` says which
 * messages need them, `BlobCollector` erases the others, and `DiskFloor` keeps the last of the disk free.
 */
@Feature({
  configuration: [BlobStoreConfig],
  imports: [TypeOrmModule.forFeature([BlobEntity, BlobPieceEntity, BlobReferenceEntity])],
  providers: [store, BlobCollector, BlobReferences, DiskFloor],
  exports: [BlobStore, BlobReferences, DiskFloor],
})
export class BlobStoreModule {}
