import type { CreateMcpServerDto, McpServerDto, UpdateMcpServerDto } from 'chat-service-client';
import { linesOf, numberOf, wordsOf } from '../../../components/form/entries';
import { textOf } from '../../../components/form/form';

/** What the form holds of a new server. */
export function creationOf(entries: FormData): CreateMcpServerDto {
  return { ...fieldsOf(entries), label: textOf(entries, 'label').trim(), url: textOf(entries, 'url').trim() };
}

/** What the form holds. An empty secret changes nothing, and headers that are not set anew stay. */
export function fieldsOf(entries: FormData): UpdateMcpServerDto {
  const secret = wordsOf(entries, 'client_secret');
  return {
    url: textOf(entries, 'url').trim(),
    auth: textOf(entries, 'auth') as McpServerDto['auth'],
    ...(entries.has('client_id') && { client_id: wordsOf(entries, 'client_id') }),
    ...(entries.has('removes_secret') ? { client_secret: null } : secret !== null && { client_secret: secret }),
    ...(entries.has('scopes') && { scopes: textOf(entries, 'scopes').split(/\s+/).filter(Boolean) }),
    ...(entries.has('headers') && { headers: pairsOf(entries, 'header') }),
    // Until the groups are there, nobody can have chosen among them.
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

/** Each row has one entry of each name, so entries of the same place belong together. */
function pairsOf(entries: FormData, name: string): Record<string, string> {
  const values = entries.getAll(`${name}.value`).map(String);
  const names = entries.getAll(`${name}.name`).map(String);
  return Object.fromEntries(names.map((key, row) => [key.trim(), values[row] ?? '']));
}
