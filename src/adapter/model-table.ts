import { hintOf } from '../dev/checks.js';
import { providerMessages } from '../dev/texts.js';
import { describe } from '../errors/messages.js';
import { DefinitionError } from '../errors/mistakes.js';
import type { AnyModel } from '../model/field.js';
import { innerModel } from '../model/model-definition.js';
import { DEFINITION } from '../model/symbols.js';
import { isData } from '../util/data-path.js';
import { Resource } from './resource.js';

/** Models by the names that a library has for their resources. */
export type ModelTable = Readonly<Record<string, AnyModel>>;

/** Finds the resource of a name. */
export class ResourceTable {
  private readonly resources: ReadonlyMap<string, Resource>;

  /** Throws `DefinitionError` for what is no table of models. `provider` is the name of the function that got it. */
  constructor(
    models: ModelTable,
    private readonly provider: string,
  ) {
    const entries = isData(models) ? Object.entries(models) : [];
    const wrong = entries.find(([, model]) => !isModel(model));
    if (wrong || entries.length === 0) {
      const place = wrong ? ` for '${wrong[0]}'` : '';
      const value = describe(wrong ? wrong[1] : models);
      throw new DefinitionError('provider-models', { provider, value, place }, { messages: providerMessages });
    }
    this.resources = new Map(entries.map(([name, model]) => [name, new Resource(model)]));
  }

  /** Throws `DefinitionError` for a name that the table does not have. */
  get(name: string): Resource {
    const resource = this.resources.get(name);
    if (resource) return resource;
    const names = [...this.resources.keys()];
    const params = { provider: this.provider, resource: name, hint: hintOf(name, names, 'its resources') };
    throw new DefinitionError('provider-resource', params, { messages: providerMessages });
  }

  /** The resource that was given first. */
  get first(): Resource {
    return [...this.resources.values()][0] as Resource;
  }
}

function isModel(value: unknown): boolean {
  return typeof value === 'function' && innerModel(value as AnyModel)[DEFINITION] !== undefined;
}
