/** The public API of this module. */
export { AdminModule } from './admin.module';
export { AttentionItemDto, toAttentionItemDto } from './attention/attention.dto';
export { AuditOfSubjects } from './audit/audit-of-subjects';
