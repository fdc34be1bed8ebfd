import { DefinitionError } from '../../errors/definition-error.js';
import type { AnyModel } from '../../model/field.js';
import { MODEL, type OperationRecord } from '../../operation/operation-record.js';
import type { ProxyRequest } from '../../proxy/proxy-request.js';
import { type Data, getMember } from '../../util/data-path.js';
import { isToMany, linkageOf, linkedTypes, splitRow } from './rows.js';

/** The options of `jsonApi()` that tell the types of resources. */
export interface ResourceTypes {
  readonly type: string | undefined;
  readonly models: (() => Readonly<Record<string, AnyModel>>) | undefined;
  readonly relationships: Readonly<Record<string, string>>;
}

/** The members of a model class by which the type of its resources is found. */
type TypedModel = AnyModel & {
  readonly proxy: { readonly url?: string };
  references(): Readonly<Record<string, AnyModel>>;
};

/** The resource in the body of a write, made of the flat body that the writer wrote. Throws `DefinitionError` for an unknown type. */
export function resourceOf(request: ProxyRequest, row: Data, types: ResourceTypes): Data {
  const record = request.operation.records[0] as OperationRecord;
  const model = record[MODEL];
  const received: Data = record.phantom ? {} : model.row(record);
  const targets = targetsOf(record);
  const written = splitRow(
    row,
    (name) =>
      Object.hasOwn(types.relationships, name) ||
      targets.has(name) ||
      getMember(received['relationships'], name) !== undefined,
  );
  const linkage = (name: string, ids: unknown) => {
    const known = linkedTypes(received, name);
    const target = targets.get(name);
    const typeOf = (id: string) => {
      const type =
        getMember(types.relationships, name) ??
        known.get(id) ??
        (target ? typeOfModel(target, types) : known.values().next().value);
      if (type === undefined) throw new DefinitionError('json-api-type', { relationship: name });
      return String(type);
    };
    return { data: linkageOf(ids, isToMany(received, name), typeOf) };
  };
  const id = written.id ?? (record.phantom ? undefined : model.serverId(record));
  const { attributes, links } = written;
  return {
    type: received['type'] ?? types.type ?? typeOfRecord(record, types) ?? lastSegment(request.base),
    ...(id !== undefined && { id: String(id) }),
    ...(Object.keys(attributes).length > 0 && { attributes }),
    ...(links.size > 0 && {
      relationships: Object.fromEntries([...links].map(([name, ids]) => [name, linkage(name, ids)])),
    }),
  };
}

/** The models that relationships of a record link to, as its model declares them, by the server's names. */
function targetsOf(record: OperationRecord): ReadonlyMap<string, AnyModel> {
  const references = (record.constructor as unknown as Partial<TypedModel>).references?.() ?? {};
  return new Map(
    Object.entries(references).map(([field, target]) => [record[MODEL].field(field)?.mapping ?? field, target]),
  );
}

/** The type that the option `models` has for the model of a record. */
function typeOfRecord(record: OperationRecord, { models }: ResourceTypes): string | undefined {
  return nameOf(models, (each) => record instanceof (each as unknown as new () => object));
}

/** The type of the resources of a model. */
function typeOfModel(model: AnyModel, { models }: ResourceTypes): string | undefined {
  return nameOf(models, (each) => each === model) ?? lastSegment((model as TypedModel).proxy.url);
}

function nameOf(models: ResourceTypes['models'], test: (model: AnyModel) => boolean): string | undefined {
  const known = models?.() ?? {};
  return Object.keys(known).find((type) => test(known[type] as AnyModel));
}

/** The last segment of an address: `articles` of `/api/articles?v=2`. */
function lastSegment(url: string | undefined): string | undefined {
  const [path = ''] = (url ?? '').split(/[?#]/);
  return path.split('/').filter(Boolean).at(-1);
}
