import type { CreateMcpServerDto, McpServerDto, UpdateMcpServerDto } from 'chat-service-client';
import { linesOf, numberOf, wordsOf } from '../../../components/form/entries';
import { textOf } from '../../../components/form/form';

/** The form of a new MCP server as a request body. */
export function creationOf(entries: FormData): CreateMcpServerDto {
  return { ...fieldsOf(entries), label: textOf(entries, 'label').trim(), url: textOf(entries, 'url').trim() };
}

/** The form as a request body. An empty secret and unchanged headers are not sent, so the service keeps them. */
export function fieldsOf(entries: FormData): UpdateMcpServerDto {
  const secret = wordsOf(entries, 'client_secret');
  return {
    url: textOf(entries, 'url').trim(),
    auth: textOf(entries, 'auth') as McpServerDto['auth'],
    ...(entries.has('client_id') && { client_id: wordsOf(entries, 'client_id') }),
    ...(entries.has('removes_secret') ? { client_secret: null } : secret !== null && { client_secret: secret }),
    ...(entries.has('scopes') && {
      scopes: textOf(entries, 'scopes')
        .split(/[\s,]+/)
        .filter(Boolean),
    }),
    ...(entries.has('pkce') && {
      issuer: wordsOf(entries, 'issuer'),
      resource: wordsOf(entries, 'resource'),
      pkce: textOf(entries, 'pkce') as McpServerDto['pkce'],
    }),
    ...(entries.has('headers') && { headers: pairsOf(entries, 'header') }),
    // While the groups are loading, the choice cannot have changed.
    ...(textOf(entries, 'for_groups') === ''
      ? { groups: null }
      : entries.has('groups_shown') && { groups: entries.getAll('groups').map(Number) }),
    allowed_tools: textOf(entries, 'offers') === '' ? null : linesOf(entries, 'allowed_tools'),
    policies: pairsOf(entries, 'policy') as UpdateMcpServerDto['policies'],
    trust_annotations: entries.has('trust_annotations'),
    elicitation: textOf(entries, 'elicitation') as McpServerDto['elicitation'],
    timeout: numberOf(entries, 'timeout') ?? undefined,
    protocol: textOf(entries, 'protocol') as McpServerDto['protocol'],
  };
}

/** Each row has one input of each name, so the values pair up by index. */
function pairsOf(entries: FormData, name: string): Record<string, string> {
  const values = entries.getAll(`${name}.value`).map(String);
  const names = entries.getAll(`${name}.name`).map(String);
  return Object.fromEntries(names.map((key, row) => [key.trim(), values[row] ?? '']));
}
