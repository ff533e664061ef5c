/** What other modules may use of this one. */
export { WebhookDto } from './management/webhook.dto';
export { WebhookService } from './management/webhook.service';
export { WebhookModule } from './webhook.module';
