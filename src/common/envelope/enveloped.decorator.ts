import { applyDecorators, type CanActivate, SetMetadata, UseGuards } from '@nestjs/common';
import type { Request } from 'express';

export const ENVELOPED_METADATA = 'enveloped';

/** Key of the sentence in the message catalogue, or a function that chooses the key by the data. */
export type MessageKey<Data = never> = string | ((data: Data) => string);

/**
 * Makes a route answer in the service-wide success envelope (specification §2.7). Bodies of other routes have no
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
 * Notes in the request how its answer is made; `FastExpressAdapter` makes it. An interceptor would do the same for several
 * times the price of all guards together.
 */
function noting(messageKey: MessageKey): CanActivate {
  return {
    canActivate(context): true {
      context.switchToHttp().getRequest<Request>().messageKey = messageKey;
      return true;
    },
  };
}
