import { SetMetadata } from '@nestjs/common';

export const ENVELOPED_METADATA = 'enveloped';

/** Key of the sentence in the message catalogue, or what chooses it by the data where the data tell what was done. */
export type MessageKey<Data = never> = string | ((data: Data) => string);

/**
 * Has a route answer in the service-wide success envelope (specification §2.7); without it bodies are bare. Members of the
 * data fill the placeholders of the sentence.
 *
 * @example
 * @Enveloped(({ replayed }: ReplayResultDto) => (replayed === 0 ? 'messages.nothing_replayed' : 'messages.replayed'))
 */
export const Enveloped = <Data = never>(
  messageKey: MessageKey<Data> = 'messages.ok',
): MethodDecorator & ClassDecorator => SetMetadata(ENVELOPED_METADATA, messageKey);
