import { SetMetadata } from '@nestjs/common';

export const ENVELOPED_METADATA = 'enveloped';

/**
 * Has a route answer in the service-wide success envelope (specification §2.7); without it bodies are bare.
 *
 * @param messageKey key of the sentence in the message catalogue
 */
export const Enveloped = (messageKey = 'messages.ok'): MethodDecorator & ClassDecorator =>
  SetMetadata(ENVELOPED_METADATA, messageKey);
