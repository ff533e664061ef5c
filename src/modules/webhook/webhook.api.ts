/** What other modules may use of this one. */
export { WebhookDto } from './dto/webhook.dto';
export { type WebhookActionEventData } from './webhook.events';
export { WebhookModule } from './webhook.module';
export { WebhookService } from './webhook.service';
