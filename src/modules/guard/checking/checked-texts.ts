import { createHmac } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { growingCache } from '../../../common/cache/growing-cache';
import { ContentBlockedError } from '../../../common/errors/guard.errors';
import { ServiceSecret } from '../../../common/security/service-secret';
import { Database } from '../../../database/database';
import { findRows } from '../../../database/statements/find';
import { upsertRows } from '../../../database/statements/insert';
import type { GuardStage } from '../guards/guard.entity';
import type { MappedText } from '../masking/mask-text';
import { Masks, type MaskSpan } from '../masking/masks';
import { FindingEntity } from './finding.entity';
import type { GuardPart, GuardScope, GuardSpan } from './guard-check';
import type { AppliedGuard } from './guards';

/** Replaces a text that a guard blocked after it was stored. */
export const BLOCKED = '[blocked]';

/** Findings in memory, for texts that are sent with each request, such as the history of a stateless request. */
const MOST_FINDINGS = 20_000;
const FINDING_MILLISECONDS = 3_600_000;

/** Texts of one prompt that a guard checks at a time. */
const MOST_AT_A_TIME = 8;

/** Hashes in one query. */
const BATCH = 500;

export interface TextToCheck {
  text: string;
  part: GuardPart;
}

/** A text in the form for models. */
export interface CheckedText {
  /** With masks. `[blocked]` if a guard blocked it. */
  text: string;
  isBlocked: boolean;
}

/** New input. */
interface NewText extends TextToCheck {
  /** Whether it was probably sent before, such as an earlier turn, so that a known finding is enough. Absent: no. */
  isEarlier?: boolean;
}

/** What one guard found in a text. */
interface Finding {
  /** What the guard found in a blocked text; null: it is not blocked. */
  blocked: Record<string, number> | null;
  spans: readonly GuardSpan[];
}

const NOTHING_FOUND: Finding = { blocked: null, spans: [] };

/** The members of the unique index. */
const PLACE = ['chatId', 'textHash', 'stage', 'guardId', 'version'] as const;

/** A text while guards check it. */
interface Progress extends TextToCheck {
  isEarlier: boolean;
  hash: string;
  found: MaskSpan[];
  blocked: Record<string, number> | null;
}

interface Order {
  guards: readonly AppliedGuard[];
  scope: GuardScope;
  masks: Masks;
  stage: GuardStage;
}

/**
 * Checks texts before a model sees them. Findings are kept as positions, in memory and for texts of a conversation in the
 * database, so that a guard checks each text once. Guards run by their position, each on the text that the previous
 * one left.
 */
@Injectable()
export class CheckedTexts {
  private readonly known = growingCache<string, Finding>(MOST_FINDINGS, { ttl: FINDING_MILLISECONDS });
  /** The findings that are in the database. */
  private readonly persisted = growingCache<string, true>(MOST_FINDINGS, { ttl: FINDING_MILLISECONDS });
  private readonly key: Buffer;

  constructor(
    private readonly database: Database,
    serviceSecret: ServiceSecret,
  ) {
    this.key = serviceSecret.derive('guard-findings');
  }

  /**
   * Checks new input before anything is stored. `mask` then knows the findings.
   *
   * @param texts all are checked, except those with `isEarlier` whose finding is known
   * @throws ContentBlockedError, GuardUnavailableError
   */
  async requireAllowed(
    guards: readonly AppliedGuard[],
    scope: GuardScope,
    texts: readonly NewText[],
    masks = new Masks(),
  ): Promise<void> {
    const order: Order = { guards, scope, masks, stage: 'input' };
    const all = texts.map((one) => this.begin(one)).filter(({ text }) => text !== '');
    for (const guard of guards) {
      await this.runGuard(order, guard, all);
      const blocked = all.find(({ blocked: types }) => types !== null);
      if (blocked?.blocked) {
        throw new ContentBlockedError(guard.name, order.stage, blocked.blocked);
      }
    }
  }

  /**
   * The texts in the form for models. Guards check those that have no finding yet.
   *
   * @throws GuardUnavailableError
   */
  async mask(
    guards: readonly AppliedGuard[],
    scope: GuardScope,
    masks: Masks,
    stage: GuardStage,
    texts: readonly TextToCheck[],
  ): Promise<CheckedText[]> {
    const order: Order = { guards, scope, masks, stage };
    const all = texts.map((one) => this.begin({ ...one, isEarlier: true }));
    const checked = all.filter(({ text }) => text !== '');
    await this.readStored(order, checked);
    for (const guard of guards) {
      await this.runGuard(order, guard, checked);
    }
    await this.store(order, checked);
    return all.map(({ text, found, blocked }) =>
      blocked === null ? { text: masks.apply(text, found), isBlocked: false } : { text: BLOCKED, isBlocked: true },
    );
  }

  private begin({ isEarlier = false, ...text }: NewText): Progress {
    return { ...text, isEarlier, hash: this.hashOf(text.text), found: [], blocked: null };
  }

  private hashOf(text: string): string {
    return createHmac('sha256', this.key).update(text).digest('base64url');
  }

  private async runGuard(order: Order, guard: AppliedGuard, texts: readonly Progress[]): Promise<void> {
    const unknown = texts.filter((one) => {
      const known = one.isEarlier ? this.known.get(keyOf(order, guard, one.hash)) : undefined;
      if (known !== undefined) {
        applyFinding(guard, one, known);
      }
      return known === undefined && one.blocked === null;
    });
    // The numbers of masks follow the order of the texts, so texts are masked before any of them is checked.
    const masked = unknown.map((one) => ({ one, before: order.masks.applyMapped(one.text, one.found) }));
    for (let start = 0; start < masked.length; start += MOST_AT_A_TIME) {
      const part = masked.slice(start, start + MOST_AT_A_TIME);
      await Promise.all(part.map(({ one, before }) => this.check(order, guard, one, before)));
    }
  }

  private async check(order: Order, guard: AppliedGuard, one: Progress, before: MappedText): Promise<void> {
    const text = { stage: order.stage, part: one.part, text: before.text, offset: 0, final: true };
    const checking = guard.check(text, order.scope);
    const key = keyOf(order, guard, one.hash);
    if (guard.mode === 'report') {
      // It delays nothing.
      this.known.set(key, NOTHING_FOUND);
      return;
    }
    const { action, spans, types, isDecided } = await checking;
    const original = spans.flatMap((span) => before.original(span) ?? []);
    const finding = { blocked: action === 'block' ? types : null, spans: original };
    if (isDecided) {
      this.known.set(key, finding);
    }
    applyFinding(guard, one, finding);
  }

  /** Reads stored findings of texts that memory does not have. */
  private async readStored(order: Order, texts: readonly Progress[]): Promise<void> {
    const { scope, guards, stage } = order;
    const { chatId } = scope;
    const missing = texts.filter(({ hash }) => guards.some((guard) => !this.known.has(keyOf(order, guard, hash))));
    if (chatId === null || missing.length === 0) {
      return;
    }
    const hashes = [...new Set(missing.map(({ hash }) => hash))];
    const byId = new Map(guards.map((guard) => [guard.id, guard]));
    for (let start = 0; start < hashes.length; start += BATCH) {
      const textHash = In(hashes.slice(start, start + BATCH));
      const where = { chatId, stage, textHash, guardId: In([...byId.keys()]) };
      for (const row of await findRows(this.database.manager, FindingEntity, where)) {
        const guard = byId.get(row.guardId);
        if (guard?.version === row.version) {
          const key = keyOf(order, guard, row.textHash);
          const spans = row.spans.map(([from, to, type]) => ({ start: from, end: to, type }));
          this.known.set(key, { blocked: row.isBlocked ? {} : null, spans });
          this.persisted.set(`${chatId}:${key}`, true);
        }
      }
    }
  }

  private async store(order: Order, texts: readonly Progress[]): Promise<void> {
    const { chatId } = order.scope;
    if (chatId === null) {
      return;
    }
    const rows = new Map<string, Omit<FindingEntity, 'id'>>();
    for (const guard of order.guards) {
      for (const { hash } of texts) {
        const key = keyOf(order, guard, hash);
        const finding = this.known.get(key);
        if (finding !== undefined && !this.persisted.has(`${chatId}:${key}`)) {
          rows.set(`${chatId}:${key}`, {
            ...{ chatId, stage: order.stage, textHash: hash, guardId: guard.id, version: guard.version },
            isBlocked: finding.blocked !== null,
            spans: finding.spans.map(({ start, end, type }) => [start, end, type]),
          });
        }
      }
    }
    if (rows.size > 0) {
      await this.database.write((manager) => upsertRows(manager, FindingEntity, [...rows.values()], PLACE));
      [...rows.keys()].forEach((key) => this.persisted.set(key, true));
    }
  }
}

function applyFinding(guard: AppliedGuard, one: Progress, { blocked, spans }: Finding): void {
  one.blocked ??= blocked;
  one.found.push(...spans.map((span) => ({ ...span, restore: guard.restore })));
}

/** A guard may decide by the user and the agent, so a finding belongs to them. */
function keyOf({ scope, stage }: Pick<Order, 'scope' | 'stage'>, guard: AppliedGuard, hash: string): string {
  return [scope.userId, scope.agent?.id ?? 0, stage, guard.id, guard.version, hash].join(':');
}
