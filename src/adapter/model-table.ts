import { hintOf } from '../dev/checks.js';
import { providerMessages } from '../dev/texts.js';
import { describe } from '../errors/message-format.js';
import { AddressError, DefinitionError } from '../errors/mistakes.js';
import { hideCredentials, isAbsolute } from '../http/url.js';
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
    return this.all[0] as Resource;
  }

  /**
   * The resource with whose headers an address is asked: that of `name`, or else the one whose server the address is on, or the first one for
   * an address without a server. Throws `AddressError` for the address of another server: the headers of a model are for its server only.
   */
  forUrl(url: string, name: unknown): Resource {
    const isNamed = typeof name === 'string';
    const [nearest] = (isNamed ? [this.get(name)] : isAbsolute(url) ? this.all : [this.first])
      .map((resource) => ({ resource, path: resource.basePathOf(url) }))
      .sort((a, b) => (b.path ?? '').length - (a.path ?? '').length);
    if (nearest?.path !== undefined) return nearest.resource;
    const server = isNamed
      ? `this is not the server of the model of '${name}'`
      : 'no model of the table has this server';
    throw new AddressError('provider-elsewhere', { url: hideCredentials(url), server }, { messages: providerMessages });
  }

  private get all(): readonly Resource[] {
    return [...this.resources.values()];
  }
}

function isModel(value: unknown): boolean {
  return typeof value === 'function' && innerModel(value as AnyModel)[DEFINITION] !== undefined;
}
