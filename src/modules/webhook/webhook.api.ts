/** What other modules may use of this one. */
export { AllWebhooksQueryDto, WEBHOOK_FIELDS } from './management/all-webhooks-query.dto';
export { ListedWebhookDto } from './management/webhook.dto';
export { WebhookDirectoryService } from './management/webhook-directory.service';
export { WebhookModule } from './webhook.module';
