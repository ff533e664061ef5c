import type { DataSource, QueryRunner } from 'typeorm';
import type { AfterQueryEvent, BeforeQueryEvent } from 'typeorm/subscriber/event/QueryEvent';
import { ATTRIBUTES } from '../../common/tracing/conventions';
import { NO_SPAN, type Span } from '../../common/tracing/span';
import type { Tracing } from '../../common/tracing/tracing';

/** Adds a span for each statement, with `TRACE_DATABASE`. The text has `?` for each value. */
export class StatementSpans {
  /** The spans of TypeORM's own statements, which report their start and their end. */
  private readonly running = new WeakMap<QueryRunner, Span>();

  constructor(
    private readonly tracing: Tracing,
    private readonly system: 'sqlite' | 'mysql',
  ) {}

  /** Watches the statements that TypeORM makes. */
  watch(dataSource: DataSource): void {
    dataSource.subscribers.push({
      beforeQuery: ({ queryRunner, query }: BeforeQueryEvent) => void this.running.set(queryRunner, this.start(query)),
      afterQuery: ({ queryRunner, success }: AfterQueryEvent) => {
        const span = this.running.get(queryRunner);
        if (!success) {
          span?.fail('database_error');
        }
        span?.end();
      },
    });
  }

  /** Runs a statement. */
  async run<Result>(sql: string, work: () => Promise<Result>): Promise<Result> {
    const span = this.start(sql);
    try {
      return await work();
    } catch (error) {
      span.fail('database_error');
      throw error;
    } finally {
      span.end();
    }
  }

  private start(sql: string): Span {
    const { operation, table } = partsOf(sql);
    // Work without a span, such as polling, would make a trace of each statement.
    const parent = this.tracing.active.context;
    return parent === null
      ? NO_SPAN
      : this.tracing.start(table === null ? operation : `${operation} ${table}`, {
          kind: 'client',
          attributes: {
            [ATTRIBUTES.databaseSystem]: this.system,
            [ATTRIBUTES.databaseOperation]: operation,
            [ATTRIBUTES.databaseCollection]: table,
            [ATTRIBUTES.databaseQuery]: withoutValues(sql),
          },
        });
  }
}

function partsOf(sql: string): { operation: string; table: string | null } {
  const [, operation = 'QUERY'] = /^\s*(\w+)/.exec(sql) ?? [];
  const [, table = null] = /\b(?:FROM|INTO|UPDATE|JOIN)\s+[`"]?(\w+)/i.exec(sql) ?? [];
  return { operation: operation.toUpperCase(), table };
}

/** Texts and numbers in the statement itself, which TypeORM and some migrations write. */
function withoutValues(sql: string): string {
  return sql.replaceAll(/'(?:[^']|'')*'/g, '?').replaceAll(/(?<![\w?])\d+(?:\.\d+)?\b/g, '?');
}
