/** The public API of this module. */
export { AttentionItemDto, toAttentionItemDto } from './attention/attention.dto';
