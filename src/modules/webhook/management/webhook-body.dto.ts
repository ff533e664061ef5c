import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsBoolean, IsIn, IsString } from 'class-validator';
import { CharacterCount, OptionalField } from '../../../common/validation/fields';
import { LanguageBodyDto } from '../../../common/validation/language-body.dto';
import type { WebhookScope } from '../endpoint/webhook-endpoint.entity';
import { SubscriptionsField, WebhookUrlField } from './webhook-fields';

const SCOPES: WebhookScope[] = ['own', 'all'];

/** A new endpoint. */
export class CreateWebhookDto extends LanguageBodyDto {
  /** Where events are posted to: a public https URL. @example https://hooks.example.com/chat */
  @WebhookUrlField()
  url: string;

  @SubscriptionsField()
  events: string[];

  /** A note to yourself, up to 500 characters. @example "Syncs conversations into our CRM." */
  @OptionalField()
  @IsString()
  @CharacterCount(0, 500)
  description?: string;

  /** Adds what people wrote (messages, titles, comments) and agents answered, cut at 16 KB; default: false. @example false */
  @OptionalField()
  @IsBoolean()
  include_content?: boolean;

  /** Whether events are sent; default: true. @example true */
  @OptionalField()
  @IsBoolean()
  is_active?: boolean;

  /** Own events, or (administrators only) everybody's. */
  @ApiPropertyOptional({ enum: SCOPES, default: 'own' })
  @OptionalField()
  @IsIn(SCOPES)
  scope?: WebhookScope;
}

/** What to change of an endpoint; absent fields stay as they are. */
export class UpdateWebhookDto extends LanguageBodyDto {
  /** Where events are posted to: a public https URL. @example https://hooks.example.com/chat */
  @OptionalField()
  @WebhookUrlField()
  url?: string;

  @OptionalField()
  @SubscriptionsField(true)
  events?: string[];

  /** A note to yourself, up to 500 characters. @example "Syncs conversations into our CRM." */
  @OptionalField()
  @IsString()
  @CharacterCount(0, 500)
  description?: string;

  /** Adds what people wrote (messages, titles, comments) and agents answered, cut at 16 KB. @example false */
  @OptionalField()
  @IsBoolean()
  include_content?: boolean;

  /** Whether events are sent; true also brings back an endpoint that the service disabled. @example true */
  @OptionalField()
  @IsBoolean()
  is_active?: boolean;

  /** Own events, or (administrators only) everybody's. */
  @ApiPropertyOptional({ enum: SCOPES })
  @OptionalField()
  @IsIn(SCOPES)
  scope?: WebhookScope;
}
