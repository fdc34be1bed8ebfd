import type { Model } from '../model/model.js';
import type { QueryRules } from './query-rules.js';

/**
 * Says who sorts or filters: the server (`true`), the store (`false`), or the store while it is known to hold everything and the server
 * otherwise (`'auto'`).
 */
export type RemoteSetting = boolean | 'auto';

/** The settings of a store; undefined: as the dialect says. */
export interface RemoteSettings {
  readonly remoteSort: RemoteSetting | undefined;
  readonly remoteFilter: RemoteSetting | undefined;
}

/** The rules of the query of a store while it holds everything, and while it does not: the same unless a setting is `'auto'`. */
export class RemoteRules<M extends Model> {
  private madePart: QueryRules<M> | undefined = undefined;

  constructor(
    private readonly settings: RemoteSettings,
    readonly whole: QueryRules<M>,
    /** The setting that counts if the options of the store do not say so. */
    private readonly defaultSetting: () => RemoteSetting,
  ) {}

  /** The rules while the store does not hold everything, or is not known to. They are made when they are needed, because the dialect may decide. */
  get part(): QueryRules<M> {
    return (this.madePart ??= this.createPart());
  }

  private setting(name: keyof RemoteSettings): RemoteSetting {
    return this.settings[name] ?? this.defaultSetting();
  }

  /** The same rules with other settings; undefined if they change nothing. */
  with({
    remoteSort = this.setting('remoteSort'),
    remoteFilter = this.setting('remoteFilter'),
  }: Partial<RemoteSettings>): RemoteRules<M> | undefined {
    if (remoteSort === this.setting('remoteSort') && remoteFilter === this.setting('remoteFilter')) return undefined;
    const whole = this.whole.with({ remoteSort: remoteSort === true, remoteFilter: remoteFilter === true });
    return new RemoteRules({ remoteSort, remoteFilter }, whole, this.defaultSetting);
  }

  private createPart(): QueryRules<M> {
    const { whole } = this;
    const [remoteSort, remoteFilter] = [this.setting('remoteSort'), this.setting('remoteFilter')];
    const [autoSort, autoFilter] = [remoteSort === 'auto', remoteFilter === 'auto'];
    if (!autoSort && !autoFilter) return whole;
    return whole.with({ remoteSort: remoteSort !== false, remoteFilter: remoteFilter !== false, autoSort, autoFilter });
  }
}
