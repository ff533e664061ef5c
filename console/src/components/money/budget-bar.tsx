import '../../styles/parts/money.css';
import type { JSX } from 'preact';
import { sumOf, thousandthsOf } from '../../app/i18n/money';

interface BudgetBarProps {
  label: string;
  spent: string;
  reserved: string;
  limit: string;
}

/** The used share of a budget: spent amounts and holds of running requests. */
export function BudgetBar({ label, spent, reserved, limit }: BudgetBarProps): JSX.Element {
  const taken = thousandthsOf(sumOf(spent, reserved), limit);
  return <meter class="budget-bar" aria-label={label} min={0} max={1000} high={800} optimum={0} value={taken} />;
}
