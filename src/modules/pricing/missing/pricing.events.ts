import { defineEvent } from '../../../common/events/event-definition';
import { fact, text } from '../../../common/events/event-fields';

export const priceMissing = defineEvent('price.missing', {
  description: 'A model without a price was used, so its cost is unknown; sent once per model until prices change.',
  fields: {
    provider: fact(text('Name of the provider.')),
    model: fact(text('Name of the model, as requested.')),
  },
  example: { provider: 'openai', model: 'gpt-5' },
});
