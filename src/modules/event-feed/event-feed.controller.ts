import { Controller, Get, HttpCode, HttpStatus, Post, Query, Req, Res } from '@nestjs/common';
import { ApiExtraModels, ApiHeader, ApiOkResponse, ApiOperation, ApiTags, getSchemaPath } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { ApiErrors } from '../../common/errors/api-errors.decorator';
import { ServiceUnavailableError } from '../../common/errors/common.errors';
import { eventExamples, shownStream } from '../../common/http/event-stream-example';
import { Authenticated } from '../../common/security/access.decorator';
import { KeyScope } from '../../common/security/key-scope.decorator';
import { CurrentContext, RequestContext } from '../../common/security/request-context';
import { TakesTicket } from '../../common/security/ticket-identity';
import { StreamTicketDto, TicketInvalidError } from '../api-key/api-key.api';
import { FeedEventDto, FeedResetDto } from './event-feed.dto';
import { TooManyFeedsError } from './event-feed.errors';
import { EventFeedService } from './event-feed.service';
import { EventFeedQueryDto } from './event-feed-query.dto';
import { FEED_SCOPE } from './reading/feed-access';
import { eventText, placeText, resetText } from './reading/feed-format';

const STARTED = {
  number: 1_769_851_800_101,
  publicId: 'evt_5f0c1b7d9a3e4c2f8b6d7e1a2c3b4d5e',
  type: 'message.started',
  occurredAt: new Date('2026-01-31T09:30:00.000Z'),
  data: {
    chat_id: 12,
    user_id: 7,
    agent_id: 1,
    message_id: 102,
    parent_id: 101,
    role: 'assistant',
    status: 'streaming',
    created_at: '2026-01-31T09:30:00.000Z',
  },
};

const STREAM = placeText(1_769_851_800_000) + eventText(STARTED) + ': ping\n\n';

const STREAM_CONTENT = {
  'text/event-stream': {
    schema: { anyOf: [{ $ref: getSchemaPath(FeedEventDto) }, { $ref: getSchemaPath(FeedResetDto) }] },
    examples: eventExamples([STREAM, resetText(1_769_851_800_000)], ({ event }) => event ?? ''),
  },
};

@ApiTags('Events')
@Authenticated()
@KeyScope(FEED_SCOPE)
@ApiExtraModels(FeedEventDto, FeedResetDto)
@Controller('events')
export class EventFeedController {
  constructor(private readonly feeds: EventFeedService) {}

  @Get()
  @TakesTicket(() => ({ events: true }))
  @ApiOperation({
    operationId: 'events.read',
    summary: 'Stream your events',
    description:
      'Server-sent events of your account from all devices and instances: `event:` is the type, `data:` a webhook body ' +
      'without content, and `id:` an increasing position. To receive missed events for 24 hours, reconnect with the last ' +
      'position in `Last-Event-ID` or `after`; if `reset` arrives, events may be missing, so reload what you show. The ' +
      'stream sends blocks without `data:` that only update the position, a comment after 15 quiet seconds, and ends with ' +
      `the session, ban or key that opened it.\n\n${shownStream(STREAM)}`,
  })
  @ApiHeader({
    name: 'Last-Event-ID',
    required: false,
    schema: { type: 'string', maxLength: 16 },
    description: 'Replaces `after`; browsers send it automatically.',
  })
  @ApiOkResponse({ description: 'The event stream.', content: STREAM_CONTENT })
  @ApiErrors(TicketInvalidError, TooManyFeedsError, ServiceUnavailableError)
  async read(
    @CurrentContext() { principal }: RequestContext,
    @Query() query: EventFeedQueryDto,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    await this.feeds.open(principal, query, request, response);
  }

  @Post('ticket')
  @HttpCode(HttpStatus.OK)
  @ApiOperation({
    operationId: 'events.createTicket',
    summary: 'Create an event ticket',
    description:
      '`EventSource` cannot send `Authorization`; it opens `GET /events?ticket=…` instead. A ticket works for ' +
      'one request within a minute, while the session or the key is valid.',
  })
  @ApiOkResponse({ type: StreamTicketDto })
  async createTicket(@CurrentContext() { principal }: RequestContext): Promise<StreamTicketDto> {
    return this.feeds.ticket(principal);
  }
}
