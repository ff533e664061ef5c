import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsBoolean, IsIn, IsString } from 'class-validator';
import { CharacterCount, OptionalField } from '../../../common/validation/fields';
import { LanguageBodyDto } from '../../../common/validation/language-body.dto';
import type { WebhookScope } from '../endpoint/webhook-endpoint.entity';
import { SubscriptionsField, WebhookUrlField } from './webhook-fields';

const SCOPES: WebhookScope[] = ['own', 'all'];

/** A new endpoint. */
export class CreateWebhookDto extends LanguageBodyDto {
  /** Where events are sent to: a public https URL. @example https://hooks.example.com/chat */
  @WebhookUrlField()
  url: string;

  @SubscriptionsField()
  events: string[];

  /** Your own note, up to 500 characters. @example "Syncs conversations into our CRM." */
  @OptionalField()
  @IsString()
  @CharacterCount(0, 500)
  description?: string;

  /**
   * Adds what users wrote (messages, titles, comments) and agents replied, cut at 16 KB. Default: false.
   * @example false
   */
  @OptionalField()
  @IsBoolean()
  include_content?: boolean;

  /** Whether events are sent. Default: true. @example true */
  @OptionalField()
  @IsBoolean()
  is_active?: boolean;

  /** Your own events, or all users' events (administrators only). */
  @ApiPropertyOptional({ enum: SCOPES, default: 'own' })
  @OptionalField()
  @IsIn(SCOPES)
  scope?: WebhookScope;
}

/** Changes to an endpoint. Absent fields stay unchanged. */
export class UpdateWebhookDto extends LanguageBodyDto {
  /** Where events are sent to: a public https URL. @example https://hooks.example.com/chat */
  @OptionalField()
  @WebhookUrlField()
  url?: string;

  @OptionalField()
  @SubscriptionsField(true)
  events?: string[];

  /** Your own note, up to 500 characters. @example "Syncs conversations into our CRM." */
  @OptionalField()
  @IsString()
  @CharacterCount(0, 500)
  description?: string;

  /** Adds what users wrote (messages, titles, comments) and agents replied, cut at 16 KB. @example false */
  @OptionalField()
  @IsBoolean()
  include_content?: boolean;

  /** Whether events are sent. True also enables an endpoint that the service disabled. @example true */
  @OptionalField()
  @IsBoolean()
  is_active?: boolean;

  /** Your own events, or all users' events (administrators only). */
  @ApiPropertyOptional({ enum: SCOPES })
  @OptionalField()
  @IsIn(SCOPES)
  scope?: WebhookScope;
}
