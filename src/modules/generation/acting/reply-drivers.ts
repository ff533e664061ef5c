import { Injectable } from '@nestjs/common';
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
  ) {}

  /** The driver of a new reply. */
  driverFor({ acting }: Pick<GenerationTask, 'acting'>): ReplyDriver {
    return acting === undefined ? this.plain : this.acting;
  }
}
