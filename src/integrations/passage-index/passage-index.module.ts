import { TypeOrmModule } from '@nestjs/typeorm';
import { Feature } from '../../common/features/feature.decorator';
import { PassageIndex } from './passage-index';
import { PassageIndexConfig } from './passage-index.config';
import { SegmentEntity, VectorEntity, WordEntity, WordPartEntity } from './passage-index.entity';

/** The index of passages. Start with `PassageIndex`. */
@Feature({
  configuration: [PassageIndexConfig],
  imports: [TypeOrmModule.forFeature([WordPartEntity, WordEntity, VectorEntity, SegmentEntity])],
  providers: [PassageIndex],
  exports: [PassageIndex],
})
export class PassageIndexModule {}
