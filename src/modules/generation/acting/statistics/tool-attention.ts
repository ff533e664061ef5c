import { Injectable } from '@nestjs/common';
import { Attention, type AttentionItem } from '../../../../common/attention/attention';
import { Clock } from '../../../../common/clock';
import { DAY_MILLISECONDS } from '../../../../common/time';
import { Database } from '../../../../database/database';
import { findRows } from '../../../../database/statements/find';
import { ToolCallEntity } from '../tool-call.entity';

/**
 * Number of consecutive failures from which a tool counts as failing. Models often repeat a wrong call once or twice.
 */
const FAILING_CALLS = 5;

/** Maximum number of calls inspected, the newest of the last 24 hours. */
const MOST_CALLS = 2_000;

/** Reports to administrators the tools whose last calls all failed. */
@Injectable()
export class ToolAttention {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    attention: Attention,
  ) {
    attention.add(() => this.items());
  }

  private async items(): Promise<AttentionItem[]> {
    const calls = await findRows(
      this.database.manager,
      ToolCallEntity,
      {
        // A tool that does not exist has neither a module nor an MCP server.
        condition: "created_at > ? AND state IN ('succeeded', 'failed') AND (source IS NOT NULL OR server IS NOT NULL)",
        parameters: [new Date(this.clock.now().getTime() - DAY_MILLISECONDS)],
      },
      { members: ['name', 'state', 'createdAt'], order: { createdAt: 'DESC', id: 'DESC' }, limit: MOST_CALLS },
    );
    const answered = new Set<string>();
    const failing = new Map<string, { since: Date; count: number }>();
    for (const { name, state, createdAt } of calls) {
      if (state === 'succeeded') {
        answered.add(name);
      } else if (!answered.has(name)) {
        failing.set(name, { since: createdAt, count: (failing.get(name)?.count ?? 0) + 1 });
      }
    }
    return [...failing].flatMap(([target, { since, count }]) =>
      count < FAILING_CALLS ? [] : [{ kind: 'tool_failing' as const, since, count, target }],
    );
  }
}
