import { Injectable } from '@nestjs/common';
import { RelayDriver } from '../relaying/relay-driver';
import type { GenerationTask } from '../reply/generation-task';
import type { ReplyDriver } from '../reply/reply-driver';
import { PlainDriver } from '../running/model-caller';
import { ActingDriver } from './acting-driver';

/** Chooses how a reply is written. */
@Injectable()
export class ReplyDrivers {
  constructor(
    private readonly plain: PlainDriver,
    private readonly acting: ActingDriver,
    private readonly relay: RelayDriver,
  ) {}

  /** The driver of a new reply. */
  driverFor({ acting, relay }: Pick<GenerationTask, 'acting' | 'relay'>): ReplyDriver {
    if (relay !== undefined) {
      return this.relay;
    }
    return acting === undefined ? this.plain : this.acting;
  }
}
