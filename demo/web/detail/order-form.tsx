import { type FormEvent, useState } from 'react';
import { childrenOf, type DataError, saveGraph, ValidationError } from 'repose';
import { useForm, useRecord, useStore } from 'repose/react';
import { useClient, useValue } from '../client/client-context.js';
import { isQueued, type Queueable, useQueued } from '../client/queued.js';
import { sentenceOf } from '../client/sentences.js';
import { ShowCode } from '../code/show-code.js';
import { ConflictNotice } from '../conflict/conflict-dialog.js';
import { FailedRead } from '../controls/failed-read.js';
import { type Category, type Order, STATUSES } from '../models.js';
import modelsText from '../models.ts?raw';
import { CustomerPicker } from './customer-picker.js';
import pickerText from './customer-picker.tsx?raw';
import { Lines } from './lines.js';
import linesText from './lines.tsx?raw';
import text from './order-form.tsx?raw';
import { UndoButtons } from './undo-buttons.js';

const FIELDS = ['customerId', 'placed', 'status', 'categoryId', 'urgent', 'note'] as const;

/** The end of the last save, in one sentence. */
interface Message {
  readonly tone: 'good' | 'bad';
  readonly text: string;
  /** The records whose writes the outbox keeps, if the sentence says so. */
  readonly waiting?: readonly Queueable[] | undefined;
}

const NONE: readonly Queueable[] = [];

/** The form of an order and its lines, which are saved together. */
export function OrderForm({ order, onGone }: { readonly order: Order; readonly onGone: () => void }) {
  const { models, name } = useClient();
  const { input, errors, errorId, form, values, reject: reset } = useForm(order);
  const { dirty, saving, queued, conflict, erase, erased, newer } = useRecord(order);
  const [told, setMessage] = useState<Message>();
  const { waiting = NONE } = told ?? {};
  const isWaiting = useQueued(waiting) > 0;
  const message = waiting.length === 0 || isWaiting ? told : endOf(waiting);
  const [isSaving, setSaving] = useState(false);
  const areLinesEdited = useValue(order.$.children).dirty;
  const isEdited = dirty || areLinesEdited;
  const lines = childrenOf(order, models.Line);

  // #region save
  /** Saves the order with its lines: each record that has changed has an outcome of its own. */
  const save = async (event: FormEvent) => {
    event.preventDefault();
    for (const field of FIELDS) form.touch(field);
    setSaving(true);
    const batch = await saveGraph(order).finally(() => setSaving(false));
    const { outcomes, failures } = batch;
    setMessage(messageOf(batch));
    // The server adds up the lines.
    if (failures.length === 0 && outcomes.some(({ record }) => record instanceof models.Line))
      await order.load().catch(() => undefined);
  };

  const discard = () => {
    reset();
    lines.reject();
    setMessage(undefined);
  };
  // #endregion

  // #region newer
  /** The value that somebody else has saved under an edit of this field. */
  const newerOf = (field: (typeof FIELDS)[number]): Newer | undefined =>
    newer && field in newer
      ? { value: textOf(newer[field]), take: () => order.set({ [field]: newer[field] }) }
      : undefined;
  // #endregion

  const remove = async () => {
    if (!confirm(`Erase order ${order.id} with its lines?`)) return;
    setMessage(undefined);
    if (await erase()) {
      // The lines go with the order, those that were never saved as well.
      lines.reject();
      return onGone();
    }
    const { error } = order.$;
    if (error) setMessage({ tone: 'bad', text: sentenceOf(error) });
  };

  if (erased)
    return (
      <p className="notice" role="alert">
        Somebody has erased order {order.id}.
        <button
          type="button"
          onClick={() => {
            // Edits of its lines can be saved nowhere, and are on no screen any more.
            lines.reject();
            onGone();
          }}
        >
          Back to the orders
        </button>
      </p>
    );
  return (
    <form
      className="order-form"
      noValidate
      onSubmit={save}
      aria-label={`Order ${order.id} of ${name}`}
      aria-busy={isSaving}
    >
      <header className="order-top">
        <h3>
          Order <span className="number">{order.id}</span>
        </h3>
        <span className="status" data-status={values.status}>
          {values.status}
        </span>
        {isEdited && <span className="edited">Edited</span>}
        {queued && <span className="edited">Waits for the network</span>}
        <ShowCode
          title="A form, its lines, and one save for all"
          parts={[
            { file: 'detail/order-form.tsx', text, region: 'save' },
            { file: 'detail/order-form.tsx', text, region: 'newer' },
            { file: 'detail/lines.tsx', text: linesText, region: 'lines' },
            { file: 'detail/customer-picker.tsx', text: pickerText, region: 'search' },
            { file: 'models.ts', text: modelsText, region: 'models' },
          ]}
        />
      </header>
      <div className="fields">
        <Field
          label="Customer"
          id={input('customerId').id}
          errorId={errorId('customerId')}
          errors={errors.customerId}
          newer={newerOf('customerId')}
        >
          <CustomerPicker order={order} inputId={input('customerId').id} errorId={errorId('customerId')} />
        </Field>
        <Field
          label="Placed on"
          id={input('placed').id}
          errorId={errorId('placed')}
          errors={errors.placed}
          newer={newerOf('placed')}
        >
          <input {...input('placed')} />
        </Field>
        <Field
          label="Status"
          id={input('status').id}
          errorId={errorId('status')}
          errors={errors.status}
          newer={newerOf('status')}
        >
          <select {...selectOf(input('status'))}>
            {STATUSES.map((status) => (
              <option key={status}>{status}</option>
            ))}
          </select>
        </Field>
        <Field
          label="Category"
          id={input('categoryId').id}
          errorId={errorId('categoryId')}
          errors={errors.categoryId}
          newer={newerOf('categoryId')}
        >
          <CategorySelect order={order} {...selectOf(input('categoryId'))} />
        </Field>
        <Field
          label="Note"
          id={input('note').id}
          errorId={errorId('note')}
          errors={errors.note}
          newer={newerOf('note')}
          isWide
        >
          <input {...input('note')} />
        </Field>
        <p className="check">
          <input {...input('urgent')} /> <label htmlFor={input('urgent').id}>Urgent</label>
        </p>
      </div>
      <Lines order={order} lines={lines} />
      {conflict ? (
        <ConflictNotice
          record={order}
          conflict={conflict}
          title={`Order ${order.id}`}
          onEnd={(end) => setMessage({ tone: 'good', text: end })}
        />
      ) : (
        message && (
          <p className={message.tone === 'bad' ? 'notice' : 'done'} role={message.tone === 'bad' ? 'alert' : 'status'}>
            {message.text}
          </p>
        )
      )}
      <footer className="order-actions">
        <button type="submit" className="primary" disabled={!isEdited || isSaving || saving}>
          {isSaving ? 'Saving' : 'Save order and lines'}
        </button>
        <button type="button" disabled={!isEdited || isSaving} onClick={discard}>
          Discard edits
        </button>
        <UndoButtons />
        <button type="button" className="danger" disabled={isSaving || saving} onClick={remove}>
          Erase order
        </button>
      </footer>
    </form>
  );
}

/** A value that somebody else has saved meanwhile, and the function that takes it. */
interface Newer {
  readonly value: string;
  readonly take: () => void;
}

function textOf(value: unknown): string {
  return value instanceof Date
    ? value.toISOString().slice(0, 10)
    : value === null || value === ''
      ? 'nothing'
      : String(value);
}

/** A label, an input, and the place for its errors, which does not move the form. */
export function Field({
  label,
  id,
  errorId,
  errors = [],
  newer,
  isWide = false,
  children,
}: {
  readonly label: string;
  readonly id: string;
  readonly errorId: string;
  readonly errors?: readonly { readonly message: string }[] | undefined;
  readonly newer?: Newer | undefined;
  readonly isWide?: boolean;
  readonly children: React.ReactNode;
}) {
  return (
    <div className="field" data-wide={isWide} data-wrong={errors.length > 0}>
      <label htmlFor={id}>{label}</label>
      {children}
      {newer && errors.length === 0 ? (
        <p className="newer" role="status">
          <span>Somebody else has saved “{newer.value}”.</span>
          <button type="button" onClick={newer.take}>
            Take it
          </button>
        </p>
      ) : (
        <em id={errorId}>{errors.map(({ message }) => message).join(', ')}</em>
      )}
    </div>
  );
}

/** A select has no limits, and is not read-only. */
export function selectOf<P extends { readonly id: string }>(props: P) {
  const { id, name, value, onChange, onBlur, required, ...rest } = props as unknown as SelectProps & P;
  return {
    ...{ id, name, value, onChange, onBlur, required },
    'aria-invalid': rest['aria-invalid'],
    'aria-describedby': rest['aria-describedby'],
  };
}
type SelectProps = React.SelectHTMLAttributes<HTMLSelectElement> & { readonly id: string };

/** The categories of the shop, each under the names of those above it. */
function CategorySelect({
  order,
  ...props
}: { readonly order: Order } & React.SelectHTMLAttributes<HTMLSelectElement>) {
  const { categories } = useClient();
  const { records, error, retry } = useStore(categories);
  const isKnown = records.some(({ id }) => id === order.categoryId);
  return (
    <>
      <select {...props}>
        <option value="">None</option>
        {!isKnown && order.categoryId !== null && <option value={order.categoryId}>{order.categoryName ?? '…'}</option>}
        {pathsOf(records).map(({ id, path }) => (
          <option key={id} value={id}>
            {path}
          </option>
        ))}
      </select>
      {error && <FailedRead message={error.userMessage} retry={retry} />}
    </>
  );
}

function pathsOf(records: readonly Category[]): readonly { readonly id: number; readonly path: string }[] {
  const byId = new Map<number | undefined, Category>(records.map((each) => [each.id, each]));
  const pathOf = (each: Category): string => {
    const parent = each.parentId ? byId.get(each.parentId) : undefined;
    return parent ? `${pathOf(parent)} / ${each.name}` : (each.name ?? '');
  };
  return records
    .map((each) => ({ id: each.id as number, path: pathOf(each) }))
    .sort((one, other) => one.path.localeCompare(other.path));
}

function messageOf({ outcomes, failures }: Awaited<ReturnType<typeof saveGraph>>): Message | undefined {
  if (outcomes.length === 0) return undefined;
  const waiting = failures.filter(isQueued).map(({ record }) => record as unknown as Queueable);
  const refused = failures.find((failure) => !isQueued(failure));
  const saved = outcomes.length - failures.length;
  if (refused)
    return { tone: 'bad', text: `${reasonOf(refused.error)}${saved > 0 ? ` ${records(saved)} saved.` : ''}` };
  if (waiting.length === 0) return { tone: 'good', text: `${records(saved)} saved.` };
  const kept = `${records(waiting.length)} kept, and sent as soon as the server can be reached.`;
  return { tone: 'good', text: kept, waiting };
}

/** Why a record of the form was refused. What is wrong with single values stands beside their inputs. */
function reasonOf(error: DataError): string {
  const isMarked = error instanceof ValidationError && error.issues.every(({ path }) => path.length > 0);
  return isMarked && error.issues.length > 0 ? 'Please check the marked entries.' : sentenceOf(error);
}

/** How the writes that the outbox kept have ended; a record that it could not save tells that itself. */
function endOf(waiting: readonly Queueable[]): Message | undefined {
  return waiting.some(({ $ }) => $.state.get().error)
    ? undefined
    : { tone: 'good', text: `${records(waiting.length)} saved.` };
}

function records(count: number): string {
  return count === 1 ? 'One record is' : `${count} records are`;
}
