import { Injectable } from '@nestjs/common';
import { defineAudit } from '../../../common/audit/audit-definition';
import { ValidationFailedError } from '../../../common/errors/validation.errors';
import { DomainEvents } from '../../../common/events/domain-events';
import type { Principal } from '../../../common/security/principal';
import { AgentGroups } from '../../agent/agent.api';
import { AnthropicSettingStore } from '../settings/anthropic-setting.store';
import type { ClaudeSettingsDto } from './claude-settings.dto';
import type { ClaudePolicy, ClaudeSettingsBody } from './claude-settings.schema';

/** The name of the setting. */
const POLICIES = 'claude_settings';

const NONE: ClaudePolicy[] = [];

/** Settings with which Claude Code runs commands on the computers of users. */
const COMMANDS = [
  'hooks',
  'apiKeyHelper',
  'statusLine',
  'otelHeadersHelper',
  'awsAuthRefresh',
  'awsCredentialExport',
  'gcpAuthRefresh',
  'env',
  'managedMcpServers',
];

/** The audit log's view of all policies. */
export const claudeSettingsAudit = defineAudit<readonly ClaudePolicy[]>({
  subject: 'claude_settings',
  state: (policies) => ({ policies: policies.map((policy) => ({ ...policy })) }),
  personal: [],
});

/** The managed settings of Claude Code. */
@Injectable()
export class ClaudePolicies {
  constructor(
    private readonly settings: AnthropicSettingStore,
    private readonly groups: AgentGroups,
    private readonly events: DomainEvents,
  ) {}

  async read(): Promise<ClaudeSettingsDto> {
    return { policies: (await this.settings.get(POLICIES, NONE)).content };
  }

  /** The settings of the first policy for this user. Null: there is none. */
  async settingsFor({ groupIds }: Principal): Promise<object | null> {
    const { policies } = await this.read();
    const found = policies.find(({ groups }) => groups === null || groups.some((id) => groupIds.includes(id)));
    return found?.settings ?? null;
  }

  /** @throws ValidationFailedError for unknown groups, or for commands that were not confirmed */
  replace({ policies, confirm_commands: isConfirmed }: ClaudeSettingsBody): Promise<ClaudeSettingsDto> {
    if (
      isConfirmed !== true &&
      policies.some(({ settings }) => COMMANDS.some((name) => Object.hasOwn(settings, name)))
    ) {
      throw ValidationFailedError.of('confirm_commands', 'required');
    }
    return this.settings.write(async (manager) => {
      for (const [index, { groups }] of policies.entries()) {
        await this.groups.hold(manager, groups ?? [], `policies.${index}.groups`);
      }
      const before = await this.settings.lock(manager, POLICIES, NONE);
      await this.settings.set(manager, POLICIES, policies, before);
      const change = { id: null, userId: null, before: before.content, after: policies };
      await this.events.publish(manager, claudeSettingsAudit.change('update', change));
      return { policies };
    });
  }
}
