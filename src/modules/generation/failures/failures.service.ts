import { Injectable, StreamableFile } from '@nestjs/common';
import { csvList } from '../../../common/csv/csv';
import { type Page, partOf, toPage } from '../../../common/envelope/page.dto';
import { orderOf } from '../../../common/envelope/sort';
import { inTimeRange } from '../../../database/statements/time-range';
import { AgentService } from '../../agent/agent.api';
import { UserDirectoryQuery } from '../../user/user.api';
import { ReplySpans } from '../reply/reply-spans';
import { FailedReplies, type FailedReply, type FailedReplyFilter } from './failed-replies';
import {
  FAILED_REPLY_FIELDS,
  type FailedReplyDto,
  type ListRepliesQueryDto,
  type ModelRepliesDto,
  toFailedReplyDto,
  toModelRepliesDto,
} from './failed-reply.dto';
import { ModelReliability } from './model-reliability';

/** Lists failed replies of all users and reports the recent reliability of models. */
@Injectable()
export class FailuresService {
  constructor(
    private readonly failures: FailedReplies,
    private readonly reliability: ModelReliability,
    private readonly users: UserDirectoryQuery,
    private readonly agents: AgentService,
    private readonly spans: ReplySpans,
  ) {}

  /**
   * One page, or all matching replies as a file.
   *
   * @throws InvalidParameterError if the period ends before it starts
   */
  async find(query: ListRepliesQueryDto): Promise<Page<FailedReplyDto> | StreamableFile> {
    const filter = filterOf(query);
    if (query.format === 'csv') {
      return csvList('failed-replies', FAILED_REPLY_FIELDS, async (last?: FailedReplyDto) =>
        this.named(await this.failures.batch(filter, last?.id)),
      );
    }
    const { after, before } = query;
    const { items, total } = await this.failures.page(filter, orderOf(query.sort), { ...partOf(query), after, before });
    return toPage(await this.named(items), total, query);
  }

  async byModel(hours: number): Promise<ModelRepliesDto[]> {
    return (await this.reliability.of(hours)).map(toModelRepliesDto);
  }

  private async named(replies: readonly FailedReply[]): Promise<FailedReplyDto[]> {
    const users = await this.users.usernames(replies.map(({ userId }) => userId));
    const agents = await this.agents.namesOf([...new Set(replies.map(({ agentId }) => agentId))]);
    return replies.map((reply) => {
      const traces = this.spans.shown(reply.spans);
      return toFailedReplyDto(reply, { users, agents }, { ...traces, trace_url: this.spans.urlOf(traces) });
    });
  }
}

function filterOf(query: ListRepliesQueryDto): FailedReplyFilter {
  const { user_id: userId, agent_id: agentId, provider, model, code } = query;
  const failedAt = inTimeRange(query);
  return {
    ...(userId !== undefined && { userId }),
    ...(agentId !== undefined && { agentId }),
    ...(provider !== undefined && { provider }),
    ...(model !== undefined && { model }),
    ...(code !== undefined && { code }),
    ...(failedAt && { failedAt }),
  };
}
