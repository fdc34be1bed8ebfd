import { useMemo } from 'react';
import {
  Admin,
  BooleanInput,
  Create,
  DataTable,
  Edit,
  List,
  memoryStore,
  NumberInput,
  ReferenceField,
  ReferenceInput,
  Resource,
  SearchInput,
  SelectInput,
  SimpleForm,
  TextInput,
  useNotify,
  useRefresh,
} from 'react-admin';
import { isDataError, Model, plain, presence, safeWrites } from 'repose';
import { dataProvider, type ProviderError } from 'repose/react-admin';

class ApiModel extends Model.with({
  proxy: { type: 'rest', baseUrl: `${location.origin}/api`, dialect: plain(), use: [safeWrites()] },
}) {}

class Customer extends ApiModel.define({
  name: 'customer',
  fields: { id: 'int', name: 'string' },
  proxy: { url: '/customers' },
}) {}

class Order extends ApiModel.define({
  name: 'order',
  fields: {
    id: 'int',
    title: { type: 'string', validators: [presence({ message: 'must not be empty' })] },
    customerId: 'int',
    total: 'int',
    open: 'boolean',
  },
  proxy: { url: '/orders' },
}) {}

const provider = dataProvider({ orders: Order, customers: Customer });

const filters = [
  <SearchInput key="q" source="q" alwaysOn />,
  <BooleanInput key="open" source="open" label="Open only" alwaysOn />,
];

const OrderList = () => (
  <List filters={filters} perPage={5} sort={{ field: 'title', order: 'ASC' }}>
    <DataTable>
      <DataTable.Col source="id" />
      <DataTable.Col source="title" />
      <DataTable.NumberCol source="total" />
      <DataTable.Col source="customerId">
        <ReferenceField source="customerId" reference="customers" />
      </DataTable.Col>
    </DataTable>
  </List>
);

const inputs = [
  <TextInput key="title" source="title" />,
  <NumberInput key="total" source="total" />,
  <ReferenceInput key="customerId" source="customerId" reference="customers">
    <SelectInput optionText="name" />
  </ReferenceInput>,
];

// A form shows the errors of the server only if it waits for the response.
const OrderEdit = () => {
  const notify = useNotify();
  const refresh = useRefresh();
  const onError = async (error: unknown) => {
    const { cause, message } = error as ProviderError;
    if (!isDataError(cause) || cause.code !== 'conflict') return notify(message, { type: 'error' });
    if (confirm(`${message}. Save yours over it?`)) await cause.keepMine();
    refresh();
  };
  return (
    <Edit mutationMode="pessimistic" mutationOptions={{ onError }}>
      <SimpleForm>{inputs}</SimpleForm>
    </Edit>
  );
};

const OrderCreate = () => (
  <Create redirect="list">
    <SimpleForm>{inputs}</SimpleForm>
  </Create>
);

export default function App() {
  const store = useMemo(() => memoryStore(), []);
  return (
    <Admin dataProvider={provider} store={store} disableTelemetry>
      <Resource name="orders" list={OrderList} edit={OrderEdit} create={OrderCreate} />
      <Resource name="customers" recordRepresentation="name" />
    </Admin>
  );
}
