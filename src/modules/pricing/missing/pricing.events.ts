import { defineEvent } from '../../../common/events/event-definition';
import { fact, text } from '../../../common/events/event-fields';

export const priceMissing = defineEvent('price.missing', {
  description:
    'A model was used that has no price, so its cost is not known; sent once for each model until prices change.',
  fields: {
    provider: fact(text('The provider.')),
    model: fact(text('The model, as it was asked.')),
  },
  example: { provider: 'openai', model: 'gpt-5' },
});
