import { applyDecorators, type CanActivate, SetMetadata, UseGuards } from '@nestjs/common';
import type { Request } from 'express';

export const ENVELOPED_METADATA = 'enveloped';

/** Key of the sentence in the message catalogue, or a function that chooses the key by the data. */
export type MessageKey<Data = never> = string | ((data: Data) => string);

/**
 * Makes a route respond in the service-wide success envelope (specification §2.7). Bodies of other routes have no
 * envelope. Members of the data fill the placeholders of the sentence. On a method it overrides that of the controller.
 *
 * @example
 * @Enveloped(({ replayed }: ReplayResultDto) => (replayed === 0 ? 'messages.nothing_replayed' : 'messages.replayed'))
 */
export const Enveloped = <Data = never>(
  messageKey: MessageKey<Data> = 'messages.ok',
): MethodDecorator & ClassDecorator =>
  applyDecorators(SetMetadata(ENVELOPED_METADATA, messageKey), UseGuards(noting(messageKey)));

/**
 * Stores in the request how `FastExpressAdapter` builds its response. An interceptor would cost several times as much
 * as all guards together.
 */
function noting(messageKey: MessageKey): CanActivate {
  return {
    canActivate(context): true {
      context.switchToHttp().getRequest<Request>().messageKey = messageKey;
      return true;
    },
  };
}
