/** The public API of this module. */
export { AllWebhooksQueryDto, WEBHOOK_FIELDS } from './management/all-webhooks-query.dto';
export { ListedWebhookDto } from './management/webhook.dto';
export { WebhookDirectoryService } from './management/webhook-directory.service';
export { WebhookModule } from './webhook.module';
