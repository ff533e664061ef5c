import { Column, Entity, PrimaryColumn } from 'typeorm';
import { JsonColumn, TimestampColumn } from '../../../database/columns';

/** A setting of the Anthropic-compatible API, which is read and replaced as a whole. */
@Entity('anthropic_settings')
export class AnthropicSettingEntity {
  @PrimaryColumn({ type: 'varchar', length: 32 })
  name: string;

  /** Increases with every change, from 1. */
  @Column({ type: 'int' })
  version: number;

  @JsonColumn()
  content: unknown;

  @TimestampColumn({ name: 'updated_at' })
  updatedAt: Date;
}
