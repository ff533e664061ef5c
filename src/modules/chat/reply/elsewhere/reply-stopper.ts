import { Injectable } from '@nestjs/common';
import { Clock } from '../../../../common/clock';
import { ServiceUnavailableError } from '../../../../common/errors/common.errors';
import { Database } from '../../../../database/database';
import { MessageEntity } from '../../entities/message.entity';
import { ReplyRegistry } from '../reply-registry';
import type { RunningReply } from '../running-reply';
import { InstanceChannels } from './instance-channels';
import { OWNER_LEASE_MILLISECONDS } from './instance-heartbeat';
import { ReplyLocator } from './reply-locator';

/**
 * How long the answer to a stop waits for the end of the reply to be stored, in milliseconds: usually a moment, and long
 * enough for another instance to end the reply of one that has died.
 */
const STOP_WAIT_MILLISECONDS = OWNER_LEASE_MILLISECONDS + 5_000;

/** Stops replies, wherever they are written. */
@Injectable()
export class ReplyStopper {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly registry: ReplyRegistry,
    private readonly channels: InstanceChannels,
    private readonly locator: ReplyLocator,
  ) {}

  /** Has the reply end soon; the text so far is kept. */
  async request(messageId: number): Promise<void> {
    const running: RunningReply | undefined = this.registry.get(messageId);
    if (running) {
      running.abort('stopped');
      return;
    }
    const stopRequestedAt = this.clock.now();
    await this.database.write((manager) =>
      manager.update(MessageEntity, { id: messageId, status: 'streaming' }, { stopRequestedAt }),
    );
    this.channels.askToStop(messageId);
  }

  /**
   * As `request`, and waits until the end of the reply is stored.
   *
   * @throws ServiceUnavailableError when that takes longer than a caller can be expected to wait.
   */
  async stop(messageId: number): Promise<void> {
    await this.request(messageId);
    const reply = await this.locator.find(messageId);
    if (reply !== null && !(await reply.endsWithin(STOP_WAIT_MILLISECONDS))) {
      throw new ServiceUnavailableError();
    }
  }
}
