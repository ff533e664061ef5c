import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import { JsonColumn, TimestampColumn } from '../../../database/columns';

/** A setting that administrators change at run time. A setting without a row has its default. */
@Entity('service_settings')
@Index('uq_service_settings_name', ['name'], { unique: true })
export class ServiceSettingEntity {
  @PrimaryGeneratedColumn()
  id: number;

  @Column({ type: 'varchar', length: 64 })
  name: string;

  @JsonColumn()
  value: unknown;

  @TimestampColumn({ name: 'updated_at' })
  updatedAt: Date;
}
