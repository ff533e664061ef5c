import { Injectable } from '@nestjs/common';
import type { EntityManager, EntityTarget, ObjectLiteral } from 'typeorm';
import type { StatementValue } from '../../../database/connection/statement-result';
import { tableOf } from '../../../database/statements/entity-columns';
import { allOf, type RowCondition } from '../../../database/statements/row-condition';
import { idList } from '../../../database/statements/rows-by-id';
import type { RetentionKind } from '../policies/retention-kinds';
import { type DueClass, NOTICE_MILLISECONDS, type OwnerRule } from '../policies/retention-rules';
import type { DeletedCounts } from './deleted-counts';

/** What a batch of a sweep did. */
export interface Removed {
  deleted: Partial<DeletedCounts>;
  /** How many rows were only hidden from their owners, because a legal hold keeps them. */
  held?: number;
}

/** Rows that policies of one kind delete, with an index on their time. The module that owns the table describes them. */
export interface RetainedRows<Row extends ObjectLiteral = ObjectLiteral> {
  kind: RetentionKind;
  entity: EntityTarget<Row>;
  /** The member with the number of a row. */
  id: keyof Row & string;
  /** The member with the time from which days count. */
  at: keyof Row & string;
  /** SQL of the owner's id; null if all rows belong to the service. */
  owner: string | null;
  /** SQL: whether a legal hold keeps the row; null if holds do not cover the rows. */
  held: string | null;
  /** Whether held rows are part of a batch, because they are hidden from their owners. Otherwise they are left out. */
  hidesHeld?: boolean;
  /** Whether `remove` keeps the rows, and only empties columns. Then a sweep begins where the last one ended. */
  staysInTable?: boolean;
  /** Further restrictions. */
  condition?: (now: Date) => RowCondition;
  /** Rows in one batch. */
  batch: number;
  /** Counts what the kind deletes in addition to these rows. */
  measure?: (manager: EntityManager, due: RowCondition) => Promise<{ messages?: number; bytes?: number }>;
  /** Deletes rows in its own transactions, if they still match. Calls `pause` between two transactions. */
  remove: (ids: number[], due: RowCondition, pause: () => Promise<void>) => Promise<Removed>;
}

/** Knows all rows that policies delete. Modules add theirs when the service starts. */
@Injectable()
export class RetainedData {
  private readonly rows: RetainedRows[] = [];

  /** Call it in a constructor. */
  add<Row extends ObjectLiteral>(rows: RetainedRows<Row>): void {
    this.rows.push(rows);
  }

  of(kind: RetentionKind): readonly RetainedRows[] {
    return this.rows.filter((rows) => rows.kind === kind);
  }
}

/** The due rows of a class, held or not. Sweeps and previews select with the same condition. */
export function dueRows(
  manager: EntityManager,
  rows: RetainedRows,
  { cutoff, owners }: DueClass,
  now: Date,
): RowCondition {
  const before = { condition: `${atOf(manager, rows)} <= ?`, parameters: [cutoff] };
  const ofOwners = owners === null || rows.owner === null ? [] : [ownedBy(rows.owner, owners, now)];
  return allOf(before, ...(rows.condition ? [rows.condition(now)] : []), ...ofOwners);
}

/** Excludes rows that a legal hold keeps, or includes only them. */
export function heldOnly({ held }: RetainedRows, isHeld: boolean): RowCondition {
  const condition = held === null ? (isHeld ? '1 = 0' : '1 = 1') : isHeld ? held : `NOT ${held}`;
  return { condition, parameters: [] };
}

/** Rows after this one in the order of a sweep. */
export function rowsAfter(manager: EntityManager, rows: RetainedRows, last: ObjectLiteral): RowCondition {
  const at = atOf(manager, rows);
  const id = columnOf(manager, rows, rows.id);
  const [time, number] = [last[rows.at] as Date, last[rows.id] as number];
  return { condition: `${at} >= ? AND (${at} > ? OR ${id} > ?)`, parameters: [time, time, number] };
}

function atOf(manager: EntityManager, rows: RetainedRows): string {
  return columnOf(manager, rows, rows.at);
}

function columnOf(manager: EntityManager, { entity }: RetainedRows, member: string): string {
  const { name, byMember } = tableOf(manager.dataSource, entity);
  return `${name}.${byMember.get(member)?.name ?? member}`;
}

function ownedBy(owner: string, rule: OwnerRule, now: Date): RowCondition {
  const since = new Date(now.getTime() - NOTICE_MILLISECONDS);
  const parameters: StatementValue[] = [];
  const isIn = (ids: readonly number[]): string =>
    ids.length === 0
      ? '1 = 0'
      : `EXISTS (SELECT 1 FROM user_group_members WHERE user_group_members.user_id = ${owner} ` +
        `AND user_group_members.group_id IN ${idList(ids)})`;
  const hasLeft = (ids: readonly number[]): string => {
    if (ids.length === 0) {
      return '1 = 0';
    }
    parameters.push(since);
    return (
      `EXISTS (SELECT 1 FROM retention_leavers WHERE retention_leavers.user_id = ${owner} ` +
      `AND retention_leavers.group_id IN ${idList(ids)} AND retention_leavers.left_at > ?)`
    );
  };
  const isIncluded =
    rule.in.length === 0
      ? '1 = 1'
      : `${isIn(rule.in)} OR (${hasLeft(rule.left)}${rule.shorter === null ? '' : ` AND ${isIn(rule.shorter)}`})`;
  const condition = `(${isIncluded}) AND NOT (${isIn(rule.notIn)}) AND NOT (${hasLeft(rule.notLeft)})`;
  return { condition, parameters };
}
