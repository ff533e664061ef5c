/** The public API of this module. */
export { AttentionItemDto, toAttentionItemDto } from './attention/attention.dto';
export { AdminModule } from './admin.module';
export { AuditOfSubjects } from './audit/audit-of-subjects';
