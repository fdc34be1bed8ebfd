import { Link, useParams } from 'react-router';
import { fieldsOf } from 'repose';
import { useField, useForm, useLoaded, useStore } from 'repose/react';
import { Customer } from '../api/models';
import { useApi } from '../parts/api-context';
import { Field } from '../parts/field';
import { LeaveGuard } from '../parts/leave-guard';
import { Problem } from '../parts/problem';
import { SaveState } from '../parts/save-state';
import { NotFoundPage } from './not-found';

/** All customers: a short list needs neither pages nor an address of its own. */
export function CustomersPage() {
  const { customers } = useApi();
  const { records, loading, error, retry } = useStore(customers);
  return (
    <>
      <h1>Customers</h1>
      {error && <Problem message={error.userMessage} onRetry={retry} />}
      {loading && <p role="status">Loading</p>}
      <ul>
        {records.slice().map((customer) => (
          <CustomerItem key={customer.$.key} customer={customer} />
        ))}
      </ul>
    </>
  );
}

function CustomerItem({ customer }: { customer: Customer }) {
  const name = useField(customer, 'name');
  return (
    <li>
      <Link to={`/customers/${customer.id}`}>{name.value}</Link>
    </li>
  );
}

export function CustomerPage() {
  const { Customer: Model } = useApi();
  const { id } = useParams();
  const { record: customer, error, notFound, reload } = useLoaded(Model, id);
  if (notFound || error?.code === 'address') return <NotFoundPage what={`a customer ${id}`} />;
  if (error) return <Problem message={error.userMessage} onRetry={reload} />;
  return customer ? <CustomerForm customer={customer} /> : <p role="status">Loading</p>;
}

function CustomerForm({ customer }: { customer: Customer }) {
  const { input, errors, errorId, submit, reject, dirty, saving, error } = useForm(customer);
  return (
    <form noValidate onSubmit={submit}>
      <LeaveGuard record={customer} onDiscard={reject} />
      <h1>{customer.name}</h1>
      {(['name', 'email'] as const).map((name) => (
        <Field
          key={name}
          label={fieldsOf(Customer)[name].label}
          id={input(name).id}
          errorId={errorId(name)}
          errors={errors[name]}
        >
          <input {...input(name)} />
        </Field>
      ))}
      <button type="submit" disabled={saving || !dirty}>
        Save
      </button>
      <SaveState record={customer} error={error} />
    </form>
  );
}
