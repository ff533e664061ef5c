/** What other modules may use of this one. */
export { AttentionItemDto, toAttentionItemDto } from './attention/attention.dto';
