import { STATUSES } from '../models.js';
import type { Filtering } from './query.js';

interface PanelProps {
  readonly filtering: Filtering;
  readonly onChange: (filtering: Filtering) => void;
}

/** Filters by columns: parts of texts, ranges of numbers and dates, states, yes or no. */
export function FilterPanel({ filtering, onChange }: PanelProps) {
  const set = (part: Partial<Filtering>) => onChange({ ...filtering, ...part });
  const input = (name: 'customer' | 'note' | 'from' | 'to' | 'min' | 'max') => ({
    value: filtering[name],
    onChange: (event: { readonly target: { readonly value: string } }) => set({ [name]: event.target.value }),
  });
  return (
    <div className="filter-panel">
      <label>
        Customer contains
        <input type="text" {...input('customer')} />
      </label>
      <label>
        Note contains
        <input type="text" {...input('note')} />
      </label>
      <fieldset>
        <legend>Status</legend>
        {STATUSES.map((status) => (
          <label key={status}>
            <input
              type="checkbox"
              checked={filtering.statuses.includes(status)}
              onChange={({ target: { checked } }) =>
                set({
                  statuses: STATUSES.filter((each) => (each === status ? checked : filtering.statuses.includes(each))),
                })
              }
            />
            {status}
          </label>
        ))}
      </fieldset>
      <fieldset className="range">
        <legend>Placed</legend>
        <input type="date" aria-label="Placed from" {...input('from')} />
        <input type="date" aria-label="Placed to" {...input('to')} />
      </fieldset>
      <fieldset className="range">
        <legend>Total</legend>
        <input type="number" min="0" step="0.01" placeholder="from" aria-label="Total from" {...input('min')} />
        <input type="number" min="0" step="0.01" placeholder="to" aria-label="Total to" {...input('max')} />
      </fieldset>
      <label>
        Urgent
        <select
          value={filtering.urgent}
          onChange={({ target }) => set({ urgent: target.value as Filtering['urgent'] })}
        >
          <option value="">Any</option>
          <option value="yes">Urgent</option>
          <option value="no">Not urgent</option>
        </select>
      </label>
    </div>
  );
}
