import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import { TimestampColumn } from '../../../database/columns';
import { AgentBehaviour } from '../catalogue/agent-behaviour';

/** The behaviour of an agent from one of its versions on, until the next row. */
@Entity('agent_versions')
@Index('uq_agent_versions_version', ['agentId', 'version'], { unique: true })
export class AgentVersionEntity extends AgentBehaviour {
  @PrimaryGeneratedColumn()
  id: number;

  @Column({ name: 'agent_id', type: 'int' })
  agentId: number;

  @Column({ type: 'int' })
  version: number;

  /** The administrator who created it; null for agents that come with the service. */
  @Column({ name: 'created_by', type: 'int', nullable: true })
  createdBy: number | null;

  @TimestampColumn({ name: 'created_at' })
  createdAt: Date;
}
