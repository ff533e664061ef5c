import { SetMetadata } from '@nestjs/common';

export const ENVELOPED_METADATA = 'enveloped';

/** Key of the sentence in the message catalogue, or a function that chooses the key by the data. */
export type MessageKey<Data = never> = string | ((data: Data) => string);

/**
 * Makes a route answer in the service-wide success envelope (specification §2.7). Bodies of other routes have no
 * envelope. Members of the data fill the placeholders of the sentence.
 *
 * @example
 * @Enveloped(({ replayed }: ReplayResultDto) => (replayed === 0 ? 'messages.nothing_replayed' : 'messages.replayed'))
 */
export const Enveloped = <Data = never>(
  messageKey: MessageKey<Data> = 'messages.ok',
): MethodDecorator & ClassDecorator => SetMetadata(ENVELOPED_METADATA, messageKey);
