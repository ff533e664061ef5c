import { Injectable } from '@nestjs/common';
import { IsNull } from 'typeorm';
import { type Page, type PageQueryDto, partOf, toPage } from '../../../common/envelope/page.dto';
import { ValidationFailedError } from '../../../common/errors/validation.errors';
import { Database } from '../../../database/database';
import { findPage, findRow } from '../../../database/statements/find';
import { GroupMemberships } from '../../group/group.api';
import { type KeptDays, type RetentionKind, SERVICE_KINDS } from '../policies/retention-kinds';
import { RetentionPolicyEntity } from '../policies/retention-policy.entity';
import { RetentionPolicyStore } from '../policies/retention-policy.store';
import type { Policy } from '../policies/retention-rules';
import { RetentionConfig } from '../retention.config';
import { RetentionNotFoundError } from '../retention.errors';
import { RetentionPreview } from '../sweeping/retention-preview';
import { RetentionSweepEntity } from '../sweeping/retention-sweep.entity';
import {
  type DeletedRetentionPolicyDto,
  type RetentionPolicyDto,
  type RetentionPreviewDto,
  type RetentionSweepDto,
  toPreviewKindDto,
  toRetentionPolicyDto,
  toRetentionSweepDto,
} from './retention.dto';
import type {
  CreateRetentionPolicyDto,
  ListRetentionPoliciesQueryDto,
  PreviewedPolicyDto,
  UpdateRetentionPolicyDto,
} from './retention-body.dto';

/** The longest period of kinds that are copies of other data. */
const CEILINGS: Partial<Record<RetentionKind, number>> = { events: 90, failed_replies: 365 };

/** Administrators' operations on retention. */
@Injectable()
export class RetentionAdministrationService {
  constructor(
    private readonly database: Database,
    private readonly config: RetentionConfig,
    private readonly groups: GroupMemberships,
    private readonly store: RetentionPolicyStore,
    private readonly preview: RetentionPreview,
  ) {}

  async list(query: ListRetentionPoliciesQueryDto): Promise<Page<RetentionPolicyDto>> {
    const { scope, kind } = query;
    const where = { endedAt: IsNull(), ...(scope !== undefined && { scope }), ...(kind !== undefined && { kind }) };
    const options = { order: { id: 'ASC' as const }, ...partOf(query) };
    const { items, total } = await findPage(this.database.manager, RetentionPolicyEntity, where, options);
    return toPage(items.map(toRetentionPolicyDto), total, query);
  }

  /** @throws RetentionNotFoundError */
  async get(id: number): Promise<RetentionPolicyDto> {
    return toRetentionPolicyDto(await this.existing(id));
  }

  /** @throws RetentionExistsError, ValidationFailedError */
  async create(body: CreateRetentionPolicyDto): Promise<RetentionPolicyDto> {
    const { scope, kind, days, effective_at, note } = body;
    await this.check([body]);
    const changes = { days, note, effectiveAt: effective_at === undefined ? undefined : new Date(effective_at) };
    return toRetentionPolicyDto(await this.store.create({ scope, scopeId: body.scope_id ?? null, kind }, changes));
  }

  /** @throws RetentionNotFoundError, ValidationFailedError */
  async update(id: number, { days, effective_at, note }: UpdateRetentionPolicyDto): Promise<RetentionPolicyDto> {
    if (days === undefined && effective_at === undefined && note === undefined) {
      throw ValidationFailedError.of('body', 'nothing_to_change');
    }
    if (days !== undefined) {
      this.checkDays((await this.existing(id)).kind, days, 'days');
    }
    const effectiveAt = effective_at === undefined ? undefined : new Date(effective_at);
    return toRetentionPolicyDto(await this.store.change(id, { days, note, effectiveAt }));
  }

  /** @throws RetentionNotFoundError */
  async remove(id: number): Promise<DeletedRetentionPolicyDto> {
    await this.store.remove(id);
    return { id, deleted: true };
  }

  /** @throws ValidationFailedError */
  async previewOf(policies: PreviewedPolicyDto[] | undefined): Promise<RetentionPreviewDto> {
    await this.check(policies ?? [], 'policies.');
    const kinds = await this.preview.of(policies?.map(toPolicy));
    return { kinds: kinds.map(toPreviewKindDto) };
  }

  async sweeps(query: PageQueryDto): Promise<Page<RetentionSweepDto>> {
    const options = { order: { id: 'DESC' as const }, ...partOf(query) };
    const { items, total } = await findPage(this.database.manager, RetentionSweepEntity, {}, options);
    return toPage(items.map(toRetentionSweepDto), total, query);
  }

  private async existing(id: number): Promise<RetentionPolicyEntity> {
    const policy = await findRow(this.database.manager, RetentionPolicyEntity, { id, endedAt: IsNull() });
    if (policy === null) {
      throw new RetentionNotFoundError();
    }
    return policy;
  }

  /** @param prefix of the names of the fields of a list; absent: the body is the policy */
  private async check(policies: readonly PreviewedPolicyDto[], prefix?: string): Promise<void> {
    const groupIds = policies.flatMap(({ scope_id }) => scope_id ?? []);
    const existing = new Set(groupIds.length === 0 ? [] : await this.groups.existing(groupIds));
    const seen = new Set<string>();
    for (const [index, { scope, scope_id = null, kind, days }] of policies.entries()) {
      const field = (name: string): string => (prefix === undefined ? name : `${prefix}${index}.${name}`);
      if (scope === 'group' && SERVICE_KINDS.has(kind)) {
        throw ValidationFailedError.of(field('scope'), 'conflicts');
      }
      if (scope === 'group' && scope_id === null) {
        throw ValidationFailedError.of(field('scope_id'), 'required');
      }
      if (scope === 'group' ? !existing.has(scope_id as number) : scope_id !== null) {
        throw ValidationFailedError.of(field('scope_id'), 'not_allowed');
      }
      this.checkDays(kind, days, field('days'));
      const subject = `${kind}:${scope_id ?? ''}`;
      if (seen.has(subject)) {
        throw ValidationFailedError.of(field('kind'), 'duplicate');
      }
      seen.add(subject);
    }
  }

  private checkDays(kind: RetentionKind, days: KeptDays, field: string): void {
    const maximum = CEILINGS[kind];
    if (maximum !== undefined && (days === null || days > maximum)) {
      throw ValidationFailedError.of(field, 'too_large', { maximum });
    }
    const { LEDGER_MIN_DAYS, AUDIT_MIN_DAYS } = this.config;
    const minimum = kind === 'ledger' ? LEDGER_MIN_DAYS : kind === 'audit' ? AUDIT_MIN_DAYS : 1;
    if (days !== null && days < minimum) {
      throw ValidationFailedError.of(field, 'too_small', { minimum });
    }
  }
}

/** A policy that has been in force for ever. */
function toPolicy({ scope_id = null, kind, days }: PreviewedPolicyDto, index: number): Policy {
  const former = { hasFormer: false, formerDays: null, endedAt: null };
  return { id: index + 1, scopeId: scope_id, kind, days, effectiveAt: new Date(0), ...former };
}
