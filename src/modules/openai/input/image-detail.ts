import * as v from 'valibot';
import type { ImageDetail } from '../../../integrations/llm/port/message-parts';

/**
 * The resolution at which a model processes an image. OpenAI's `original`, which other providers lack, becomes `high`.
 */
export const imageDetail = v.pipe(
  v.picklist(['auto', 'low', 'high', 'original']),
  v.transform((detail): ImageDetail => (detail === 'original' ? 'high' : detail)),
);
