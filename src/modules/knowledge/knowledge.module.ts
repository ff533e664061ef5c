import { TypeOrmModule } from '@nestjs/typeorm';
import { Feature } from '../../common/features/feature.decorator';
import { PassageIndexModule } from '../../integrations/passage-index/passage-index.module';
import { KnowledgeBatchEntity, KnowledgeBatchEntryEntity } from './tables/knowledge-batch.entity';
import { KnowledgeAttributeEntity, KnowledgeEntryEntity } from './tables/knowledge-entry.entity';
import { KnowledgeFileEntity } from './tables/knowledge-file.entity';
import { KnowledgeJobEntity } from './tables/knowledge-job.entity';
import { KnowledgePassageEntity } from './tables/knowledge-passage.entity';
import { KnowledgeStoreEntity, KnowledgeStoreGroupEntity } from './tables/knowledge-store.entity';
import { KnowledgeTextEntity, KnowledgeTextPieceEntity } from './tables/knowledge-text.entity';
import { KnowledgeUploadEntity, KnowledgeUploadPartEntity } from './tables/knowledge-upload.entity';

const ENTITIES = [
  KnowledgeFileEntity,
  KnowledgeStoreEntity,
  KnowledgeStoreGroupEntity,
  KnowledgeEntryEntity,
  KnowledgeAttributeEntity,
  KnowledgeBatchEntity,
  KnowledgeBatchEntryEntity,
  KnowledgeUploadEntity,
  KnowledgeUploadPartEntity,
  KnowledgeJobEntity,
  KnowledgeTextEntity,
  KnowledgeTextPieceEntity,
  KnowledgePassageEntity,
];

/**
 * Files that users upload, and collections of them that users and agents search.
 *
 * - `tables/`: the tables of all folders.
 * - `files/`: uploads; `collections/`: collections, their entries, and who may read them.
 */
@Feature({
  folder: __dirname,
  imports: [PassageIndexModule, TypeOrmModule.forFeature(ENTITIES)],
  controllers: [],
  providers: [],
})
export class KnowledgeModule {}
