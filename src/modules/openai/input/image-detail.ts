import * as v from 'valibot';
import type { ImageDetail } from '../../../integrations/llm/port/message-parts';

/** How closely a model looks at an image. Programs know one more than models of all makers. */
export const imageDetail = v.pipe(
  v.picklist(['auto', 'low', 'high', 'original']),
  v.transform((detail): ImageDetail => (detail === 'original' ? 'high' : detail)),
);
