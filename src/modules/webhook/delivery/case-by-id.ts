export interface CaseExpression {
  sql: string;
  parameters: Record<string, number | Date>;
}

/** `CASE id WHEN … THEN … ELSE … END` over values that differ from row to row, so that one statement does for all. */
export function caseById(prefix: string, values: Map<number, number | Date>, otherwise: string): CaseExpression {
  if (values.size === 0) {
    return { sql: otherwise, parameters: {} };
  }
  const parameters: CaseExpression['parameters'] = {};
  const branches = [...values].map(([id, value]) => {
    parameters[`${prefix}${id}`] = value;
    return `WHEN ${id} THEN :${prefix}${id}`;
  });
  return { sql: `CASE id ${branches.join(' ')} ELSE ${otherwise} END`, parameters };
}
