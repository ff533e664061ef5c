import { Injectable } from '@nestjs/common';
import type { StatementValue } from '../../../database/connection/statement-result';
import { Database } from '../../../database/database';
import { queryRows } from '../../../database/statements/query';
import { idList } from '../../../database/statements/rows-by-id';
import type { PersonAttributes } from './scim-user.entity';

/** An account that a directory may see. */
export interface DirectoryAccount {
  id: number;
  username: string;
  email: string;
  isSuspended: boolean;
  /** Whether it belongs or ever belonged to an administrator. */
  isAdministrators: boolean;
  createdAt: Date;
  updatedAt: Date;
  externalId: string | null;
  /** Null if the directory has never named the person, who came by signing in. */
  userName: string | null;
  attributes: PersonAttributes;
}

interface Row {
  id: number;
  username: string;
  email: string;
  user_type: string;
  suspended_at: unknown;
  administrator_since: unknown;
  created_at: Date | string;
  updated_at: Date | string;
  external_id: string | null;
  user_name: string | null;
  attributes: string | null;
}

/** SQL for a condition on `account`, `identity` or `person`, with `?` for each of the parameters. */
export interface PersonCondition {
  condition: string;
  parameters: StatementValue[];
}

/**
 * Accounts that the directory has created, or that have an identity of its provider. Its parameters: the provider,
 * three times.
 */
const VISIBLE = `FROM users account
  LEFT JOIN identities identity ON identity.id = (SELECT MIN(linked.id) FROM identities linked
    WHERE linked.user_id = account.id AND linked.provider_id = ? AND linked.unlinked_at IS NULL)
  LEFT JOIN scim_users person ON person.user_id = account.id AND person.identity_provider_id = ?
  WHERE account.deleted_at IS NULL AND account.user_type <> 'service'
    AND (identity.provider_id = ? OR person.is_made = 1)`;

const COLUMNS = `account.id AS id, account.username AS username, account.email AS email, account.user_type AS user_type,
  account.suspended_at AS suspended_at, account.administrator_since AS administrator_since,
  account.created_at AS created_at, account.updated_at AS updated_at,
  identity.external_id AS external_id, person.user_name AS user_name, person.attributes AS attributes`;

/** Read-only queries for the accounts of a directory. */
@Injectable()
export class PeopleQuery {
  constructor(private readonly database: Database) {}

  /** The matching accounts, sorted by id. */
  async find(
    providerId: number,
    where: PersonCondition,
    part: { offset: number; limit: number },
  ): Promise<DirectoryAccount[]> {
    const parameters = [...visibleTo(providerId), ...where.parameters, part.limit, part.offset];
    const sql = `SELECT ${COLUMNS} ${VISIBLE} AND (${where.condition}) ORDER BY account.id LIMIT ? OFFSET ?`;
    return (await queryRows<Row>(this.database.manager, sql, parameters)).map(toPerson);
  }

  async count(providerId: number, where: PersonCondition): Promise<number> {
    const sql = `SELECT COUNT(*) AS people ${VISIBLE} AND (${where.condition})`;
    const parameters = [...visibleTo(providerId), ...where.parameters];
    const [row] = await queryRows<{ people: number | string }>(this.database.manager, sql, parameters);
    return Number(row?.people ?? 0);
  }

  async get(providerId: number, id: number): Promise<DirectoryAccount | null> {
    const where = { condition: 'account.id = ?', parameters: [id] };
    return (await this.find(providerId, where, { offset: 0, limit: 1 }))[0] ?? null;
  }

  /** The ids among these of visible accounts. */
  async among(providerId: number, ids: readonly number[]): Promise<Set<number>> {
    if (ids.length === 0) {
      return new Set();
    }
    const sql = `SELECT account.id AS id ${VISIBLE} AND account.id IN ${idList(ids)}`;
    return this.idsOf(sql, visibleTo(providerId));
  }

  /** The ids among these of current and former administrators, including closed accounts. */
  async administratorsAmong(ids: readonly number[]): Promise<Set<number>> {
    if (ids.length === 0) {
      return new Set();
    }
    return this.idsOf(`SELECT account.id AS id FROM users account WHERE account.id IN ${idList(ids)}
      AND (account.user_type = 'admin' OR account.administrator_since IS NOT NULL)`);
  }

  private async idsOf(sql: string, parameters: StatementValue[] = []): Promise<Set<number>> {
    const rows = await queryRows<{ id: number }>(this.database.manager, sql, parameters);
    return new Set(rows.map(({ id }) => id));
  }
}

function visibleTo(providerId: number): number[] {
  return [providerId, providerId, providerId];
}

function toPerson(row: Row): DirectoryAccount {
  return {
    id: row.id,
    username: row.username,
    email: row.email,
    isSuspended: row.suspended_at !== null,
    isAdministrators: row.user_type === 'admin' || row.administrator_since !== null,
    createdAt: toDate(row.created_at),
    updatedAt: toDate(row.updated_at),
    externalId: row.external_id,
    userName: row.user_name,
    attributes: row.attributes === null ? {} : (JSON.parse(row.attributes) as PersonAttributes),
  };
}

/** SQLite returns times as text, in UTC. */
function toDate(value: Date | string): Date {
  return typeof value === 'string' ? new Date(`${value.replace(' ', 'T')}Z`) : value;
}
