import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';
import type { LogLevel } from '../../../common/logging/log-level';
import { TimestampColumn } from '../../../database/columns';

/** A log level that an administrator set for a time. */
@Entity('log_levels')
export class LogLevelEntity {
  @PrimaryGeneratedColumn()
  id: number;

  /** Null: all instances. */
  @Column({ name: 'instance_id', type: 'varchar', length: 36, nullable: true })
  instanceId: string | null;

  /** Host and port of that instance. Its successor, which has another id, is found by it. */
  @Column({ type: 'varchar', length: 300, nullable: true })
  place: string | null;

  @Column({ type: 'varchar', length: 8 })
  level: LogLevel;

  /** By the shared clock. */
  @TimestampColumn()
  until: Date;
}
